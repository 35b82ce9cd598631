// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/framework_advice.h"

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

}  // namespace

Advice AdviseDispatch(const VerdictInput& input) {
  const bool on_host = input.dispatch != nullptr || (input.profiled && !SawDeviceWork(input));
  if (!on_host) return Say(finding::FrameworkMoreInALaunch{});
  if (input.compiled) return Say(finding::FrameworkFixGraphBreaks{});
  return Say(finding::FrameworkFuseOperators{});
}

Advice AdviseLaunch(const VerdictInput& input) {
  if (auto slow = AdviseSlowCalls(input)) return *std::move(slow);
  return AdviseDispatch(input);
}

Advice AdviseSynchronisation(const VerdictInput& input) {
  if (IsUnbegunWork(input)) return Say(finding::FrameworkLookAtUnbegunWork{});
  return Say(finding::FrameworkRunAhead{});
}

}  // namespace steptrace::analyze
