// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyze/attribution/portion.h"
#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {
namespace {

void MoveIdleForwardTime(const StepEvidence& step, StageTimes& times) {
  const AttributionRules& rules = step.rules;
  const bool seen = rules.on_host && step.thread != nullptr;
  int64_t idle_ns = Portion(seen ? step.thread->idle_of_forward : 0, step.forward_ns);
  const auto process = rules.idle_of_forward.find(step.row.rank);
  if (process != rules.idle_of_forward.end()) {
    // The process was as idle in what the thread awaited from others.
    idle_ns = std::max(idle_ns, Portion(process->second, step.forward_ns) - step.taken.awaited);
  }
  Move(times, SubStage::kForward, SubStage::kUnknown, idle_ns);
}

}  // namespace

extern const Transfer kIdleForwardTransfer;
const Transfer kIdleForwardTransfer = {
    .name = "idle_forward",
    .from = {SubStage::kForward},
    .to = {SubStage::kUnknown},
    .reason = "the thread, or its whole process, did nothing in forward, and no device computes",
    .move = MoveIdleForwardTime,
};

}  // namespace steptrace::analyze
