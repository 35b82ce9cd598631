// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/questions.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "analyze/code/code_place.h"
#include "analyze/code/function_text.h"
#include "analyze/verdict/thresholds.h"
#include "analyze/verdict/worker_advice.h"

namespace steptrace::analyze {

model::PlacedText AwaitedText(const StageFunction& function) {
  if (function.call.empty()) return FunctionText(function);
  const std::string_view call = function.in_c ? function.call : EnclosingFunction(function.call);
  return TextAt(std::string(call), function);
}

bool RunsBetween(const VerdictInput& input, const StageFunction& function) {
  return std::any_of(input.waits.between.begin(), input.waits.between.end(),
                     [&function](const StageFunction& one) {
                       return std::tie(one.file, one.function, one.line, one.call) ==
                              std::tie(function.file, function.function, function.line,
                                       function.call);
                     });
}

bool IsDelayedByContention(const VerdictInput& input, const Verdict& verdict) {
  return verdict.suspect == SuspectName(SuspectId::kFrameworkOverhead) &&
         input.load.crowded_by_others() && !MayUseDevice(input.facts);
}

bool SawDeviceWork(const VerdictInput& input) {
  return std::ranges::any_of(input.report.profile->ranks,
                             [](const RankTrace& rank) { return !rank.device.empty(); });
}

const StageFunction* LargestFunction(const VerdictInput& input, SubStage stage) {
  const auto& functions = input.stages[static_cast<size_t>(stage)].functions;
  return functions.empty() ? nullptr : &functions.front();
}

const StageFunction* FunctionThatGrows(const VerdictInput& input, const StepSlowdown& drift) {
  if (!drift.stage) return nullptr;
  const StageFunction* function = LargestFunction(input, *drift.stage);
  const int64_t all_ns = At(input.times.total(), *drift.stage);
  return function != nullptr && 2 * function->ns > all_ns ? function : nullptr;
}

bool TrainingLacksCore(const VerdictInput& input) {
  const StageTimes& times = input.times.total();
  const int64_t all_ns = At(BySuspect(times), SuspectId::kDataPipeline);
  return input.selection.steps >= kMinSteadySteps && input.times.ranks().size() == 1 &&
         WorkersKeepUp(input) && 2 * At(times, SubStage::kCpuShortage) > all_ns;
}

bool MayWaitInForward(const VerdictInput& input) {
  return input.unseen_forward >= kInTheWay;
}

bool CouldBlameForward(const VerdictInput& input) {
  return input.unseen_forward >= kSuspectThreshold;
}

bool StacksWereNotTaken(const VerdictInput& input) {
  return input.report.samples == nullptr && !input.facts.no_stacks.empty();
}

}  // namespace steptrace::analyze
