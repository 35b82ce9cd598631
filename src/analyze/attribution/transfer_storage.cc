// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {
namespace {

void MoveStorageTime(const StepEvidence& step, StageTimes& times) {
  if (!step.rules.storage_evidence) return;
  Move(times, SubStage::kGetitem, SubStage::kStorageRead, step.row.blocked_in_fetch_ns);
}

}  // namespace

extern const Transfer kStorageTransfer;
const Transfer kStorageTransfer = {
    .name = "storage",
    .from = {SubStage::kGetitem},
    .to = {SubStage::kStorageRead},
    .reason = "storage is at work, and the fetch was blocked",
    .move = MoveStorageTime,
};

}  // namespace steptrace::analyze
