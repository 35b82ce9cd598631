// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/portion.h"
#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {
namespace {

void MoveSamplerBeginTime(const StepEvidence& step, StageTimes& times) {
  if (step.thread == nullptr) return;
  Move(times, SubStage::kWorkerStart, SubStage::kDatasetCode,
       Portion(step.thread->of_worker_start, At(times, SubStage::kWorkerStart)));
  Move(times, SubStage::kGetitem, SubStage::kDatasetCode,
       Portion(step.thread->of_getitem, At(times, SubStage::kGetitem)));
}

}  // namespace

extern const Transfer kSamplerBeginTransfer;
const Transfer kSamplerBeginTransfer = {
    .name = "sampler_begin",
    .from = {SubStage::kGetitem, SubStage::kWorkerStart},
    .to = {SubStage::kDatasetCode},
    .reason = "samples show a sampler of the user's that makes its order as an epoch begins",
    .move = MoveSamplerBeginTime,
};

}  // namespace steptrace::analyze
