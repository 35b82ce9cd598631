// SPDX-License-Identifier: Apache-2.0
#include "analyze/samples/sample_bins.h"

#include "analyze/samples/rank_samples.h"

namespace steptrace::analyze {
namespace {

// What a function that saves does in steps that save nothing is not for a checkpoint's sake.
bool IsForSaving(const StackClass& of, StepSaves saves) {
  return of.around.saves && (of.around.saving || saves == StepSaves::kYes);
}

// What a pattern of the user's names is that also while it waits; so are logs, checkpoints, and
// what a library's own threads do.
bool IsThatWaiting(const StackClass& of, StepSaves saves) {
  return of.by_user || of.wait.own_threads || IsForSaving(of, saves) ||
         of.stage == WorkStage::kLogging;
}

}  // namespace

bool Awaits(const StackClass& of) {
  const bool others = of.wait.takes_over || of.wait.on_signal || of.wait.asks;
  return of.region == StackRegion::kElsewhere && others && !of.by_user && of.frames.evaluator < 0;
}

bool MayMake(const StackClass& of) {
  if (of.region == StackRegion::kFetch || of.region == StackRegion::kCollate) return true;
  return of.frames.user >= 0 && !of.wait.in_lock && of.region != StackRegion::kAround;
}

bool WaitsOutside(const StackClass& of, bool waits, StepSaves saves) {
  return of.region == StackRegion::kElsewhere && waits && !IsThatWaiting(of, saves) &&
         !Awaits(of) && of.frames.evaluator < 0;
}

std::pair<size_t, bool> BatchBin(const StackClass& of, bool waits) {
  const auto bin = [](WorkStage stage) {  // there is no model in a batch, and no log
    const bool none = stage == WorkStage::kModel || stage == WorkStage::kLogging;
    return static_cast<size_t>(none ? WorkStage::kUserCode : stage);
  };
  if (of.by_user) return {bin(*of.stage), false};
  // What others make is waited for also where the thread would run, had it the interpreter.
  if ((waits || of.wait.takes_over) && of.wait.in_lock)
    return {static_cast<size_t>(WorkStage::kLock), false};
  if (of.stage) return {bin(*of.stage), waits};
  const bool named = of.frames.user >= 0;
  return {named ? static_cast<size_t>(WorkStage::kUserCode) : kUnnamed, waits};
}

bool RunsOutside(const StackClass& of, bool waits, StepSaves saves) {
  return of.region == StackRegion::kElsewhere && (!waits || IsThatWaiting(of, saves)) &&
         !Awaits(of) && of.frames.evaluator < 0;
}

size_t OutsideBin(const StackClass& of, StepSaves saves) {
  if (IsForSaving(of, saves) && !of.by_user) return kSaving;
  if (of.stage) return static_cast<size_t>(*of.stage);
  if (of.frames.user < 0) return kUnnamed;
  if (of.around.saves && saves == StepSaves::kUntold) return kOfSaver;
  if ((of.around.gradless && !of.around.infers) || of.around.copies) return kGradless;
  if (of.leaf.apart) return kApart;
  if (of.around.prepares) return kPreparing;
  if (of.around.reads) return of.takes_numbers() ? kApart : kReading;
  if (of.user.calls_model) return of.user.runs_module ? kModuleLine : kModelLine;
  return of.user.calls_torch ? kTensorCode : static_cast<size_t>(WorkStage::kUserCode);
}

}  // namespace steptrace::analyze
