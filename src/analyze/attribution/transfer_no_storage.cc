// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {
namespace {

void MoveNoStorageTime(const StepEvidence& step, StageTimes& times) {
  if (step.rules.storage_evidence) return;
  Move(times, SubStage::kStorageRead, SubStage::kGetitem, At(times, SubStage::kStorageRead));
}

}  // namespace

extern const Transfer kNoStorageTransfer;
const Transfer kNoStorageTransfer = {
    .name = "no_storage",
    .from = {SubStage::kStorageRead},
    .to = {SubStage::kGetitem},
    .reason = "nothing shows storage at work: a blocked fetch sleeps, or waits for something else",
    .move = MoveNoStorageTime,
};

}  // namespace steptrace::analyze
