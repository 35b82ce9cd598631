// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyze/attribution/portion.h"
#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {
namespace {

// Forward lies between two hooks, with no begin and end of its own: what the loop waits for there
// looks like it. Of windows of operators the time apart from these is what nothing shows.
void MoveUnseenForwardTime(const StepEvidence& step, StageTimes& times) {
  const AttributionRules& rules = step.rules;
  if (!rules.forward_unseen) return;
  int64_t unseen_ns = At(times, SubStage::kForward);
  if (rules.dispatch != nullptr) {
    const auto apart = rules.dispatch->apart.find(step.row.rank);
    const int64_t phases_ns = step.forward_ns + step.row.backward_ns + step.row.optimizer_ns;
    if (apart != rules.dispatch->apart.end()) {
      unseen_ns = std::min(unseen_ns, Portion(apart->second, phases_ns));
    }
  }
  Move(times, SubStage::kForward, SubStage::kUnknown, unseen_ns);
}

}  // namespace

extern const Transfer kUnseenForwardTransfer;
const Transfer kUnseenForwardTransfer = {
    .name = "unseen_forward",
    .from = {SubStage::kForward},
    .to = {SubStage::kUnknown},
    .reason = "neither samples, CPU time, operators nor a device show that forward computed",
    .move = MoveUnseenForwardTime,
};

}  // namespace steptrace::analyze
