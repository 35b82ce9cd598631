// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/framework_advice.h"

#include <type_traits>
#include <utility>

#include "analyze/code/function_text.h"
#include "analyze/verdict/questions.h"
#include "analyze/verdict/slow_calls.h"
#include "analyze/verdict/unbegun_work.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {

namespace finding = model::finding;

namespace {

template <typename Kind>
Advice AdviceOf(Kind what) {
  return {Make(std::move(what)), "", "", ""};
}

}  // namespace

Advice AdviseDispatch(const VerdictInput& input) {
  const bool on_host = input.dispatch != nullptr || (input.profiled && !SawDeviceWork(input));
  if (!on_host) return AdviceOf(finding::FrameworkMoreInALaunch{});
  if (input.compiled) return AdviceOf(finding::FrameworkFixGraphBreaks{});
  return AdviceOf(finding::FrameworkFuseOperators{});
}

Advice AdviseLaunch(const VerdictInput& input) {
  if (auto slow = AdviseSlowCalls(input)) return *std::move(slow);
  return AdviseDispatch(input);
}

Advice AdviseSynchronisation(const VerdictInput& input) {
  if (IsUnbegunWork(input)) return AdviceOf(finding::FrameworkLookAtUnbegunWork{});
  return AdviceOf(finding::FrameworkRunAhead{});
}

model::PlacedText CompiledText(const Recompilation& one) {
  StageFunction function;
  function.function = one.function;
  function.file = one.file;
  function.line = one.line;
  return FunctionText(function);
}

Advice AdviseRecompilation(const Recompilation* why) {
  if (why == nullptr) return AdviceOf(finding::FrameworkFixedShapes{});
  const auto say = [why]<typename Kind>(std::type_identity<Kind>) {
    return AdviceOf(Kind{
        .at_limit = why->limit.has_value(), .function = CompiledText(*why), .guard = why->guard});
  };
  switch (CauseOfGuard(why->guard)) {
    case GuardCause::kShape:
      return say(std::type_identity<finding::FrameworkSteadyShapes>());
    case GuardCause::kTensor:
      return say(std::type_identity<finding::FrameworkSteadyTensors>());
    case GuardCause::kValue:
      return say(std::type_identity<finding::FrameworkValuesAsTensors>());
    case GuardCause::kText:
      return say(std::type_identity<finding::FrameworkTextsOutside>());
    case GuardCause::kLength:
      return say(std::type_identity<finding::FrameworkSteadyLengths>());
    case GuardCause::kState:
      return say(std::type_identity<finding::FrameworkOneState>());
    case GuardCause::kObject:
      return say(std::type_identity<finding::FrameworkOneObject>());
    case GuardCause::kOther:
      break;
  }
  return say(std::type_identity<finding::FrameworkLookAtGuard>());
}

std::optional<Advice> AdviseNotCompiled(const VerdictInput& input) {
  const Recompilation* one = AtLimit(input.facts.recompilations);
  return one == nullptr ? std::nullopt : std::optional(AdviseRecompilation(one));
}

}  // namespace steptrace::analyze
