// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/lock_evidence.h"

#include <algorithm>

#include "analyze/code/function_text.h"
#include "analyze/verdict/questions.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

constexpr double kLeastInLock = 0.10;  // of the step
constexpr int64_t kLeastLockSamples = 10;
// Of the samples that wait: one that is there less often is there by chance.
constexpr double kHolderSeen = 0.3;

StageFunction HolderOf(const HeldLock& lock) {
  StageFunction holder;
  holder.function = lock.holder;
  holder.file = lock.holder_file;
  holder.line = lock.holder_line;
  return holder;
}

}  // namespace

std::vector<model::Finding> LockEvidence(const VerdictInput& input) {
  std::vector<model::Finding> all;
  for (const SubStage stage : {SubStage::kLock, SubStage::kUnknown}) {
    const StageFunction* function = LargestFunction(input, stage);
    if (function == nullptr || function->share < kLeastInLock) continue;
    const auto lock = std::ranges::find_if(input.waits.locks, [function](const HeldLock& one) {
      return one.function == function->function && one.file == function->file;
    });
    if (lock == input.waits.locks.end() || lock->samples < kLeastLockSamples) continue;
    const double share =
        static_cast<double>(lock->holder_samples) / static_cast<double>(lock->samples);
    const bool seen = lock->holder_samples > 0;
    if (seen && share < kHolderSeen) continue;  // neither the holder nor nobody
    all.push_back(Make(model::finding::StepLockHeld{
        .share = share,
        .function = FunctionText(function),
        .holder = seen ? FunctionText(HolderOf(*lock)) : std::string()}));
    all.back().subject = {
        .function = CalledText(*function), .file = function->file, .line = function->line};
  }
  return all;
}

}  // namespace steptrace::analyze
