// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {
namespace {

void MoveOutsideTorchTime(const StepEvidence& step, StageTimes& times) {
  const int64_t taken_ns = step.taken.unknown + step.taken.forward;
  if (taken_ns == 0) return;
  At(times, SubStage::kUnknown) -= step.taken.unknown;
  At(times, SubStage::kForward) -= step.taken.forward;
  ShareOut(step.thread->weights, taken_ns, times);
}

}  // namespace

extern const Transfer kOutsideTorchTransfer;
const Transfer kOutsideTorchTransfer = {
    .name = "outside_torch",
    .from = {SubStage::kUnknown, SubStage::kForward},
    .to = StageSet::Between(kSampledStages.front(), kSampledStages.back()) |
          StageSet{SubStage::kCollate, SubStage::kWorkerStart, SubStage::kCheckpoint,
                   SubStage::kEvaluation, SubStage::kLogging, SubStage::kLoopCode},
    .reason = "samples show the training thread outside torch, or evaluating",
    .move = MoveOutsideTorchTime,
};

}  // namespace steptrace::analyze
