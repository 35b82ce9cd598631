// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/framework_advice.h"

#include <optional>
#include <utility>

#include "analyze/verdict/questions.h"
#include "analyze/verdict/slow_calls.h"
#include "analyze/verdict/unbegun_work.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {

namespace finding = model::finding;

namespace {

template <typename Kind>
Advice Say(Kind what) {
  return {Make(std::move(what)), "", "", ""};
}

// Between operators, and from them to the device.
Advice AdviseDispatch(const VerdictInput& input) {
  const bool on_host = input.dispatch != nullptr || (input.profiled && !SawDeviceWork(input));
  if (!on_host) return Say(finding::FrameworkMoreInALaunch{});
  if (input.compiled) return Say(finding::FrameworkFixGraphBreaks{});
  return Say(finding::FrameworkFuseOperators{});
}

}  // namespace

std::vector<Advice> AdviseFramework(const VerdictInput& input,
                                    const std::function<bool(SubStage)>& worth) {
  std::vector<Advice> advice;
  if (worth(SubStage::kGarbageCollection)) {
    advice.push_back(Say(finding::FrameworkCollectSeldom{}));
  }
  if (worth(SubStage::kRecompilation)) advice.push_back(Say(finding::FrameworkFixedShapes{}));
  // The larger first.
  if (advice.size() == 2 && At(input.times.total(), SubStage::kRecompilation) >
                                At(input.times.total(), SubStage::kGarbageCollection)) {
    std::swap(advice[0], advice[1]);
  }
  auto slow = worth(SubStage::kLaunch) ? AdviseSlowCalls(input) : std::nullopt;
  if (slow) {
    advice.push_back(*std::move(slow));
  } else if (worth(SubStage::kDispatch) || worth(SubStage::kLaunch)) {
    advice.push_back(AdviseDispatch(input));
  }
  if (worth(SubStage::kSynchronisation)) {
    advice.push_back(IsUnbegunWork(input) ? Say(finding::FrameworkLookAtUnbegunWork{})
                                          : Say(finding::FrameworkRunAhead{}));
  }
  return advice;
}

}  // namespace steptrace::analyze
