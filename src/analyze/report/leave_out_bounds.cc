// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/leave_out_bounds.h"

#include "analyze/trace/unrecognised.h"
#include "analyze/verdict/bound.h"

namespace steptrace::analyze {

WithoutBound WithoutBoundIn(const VerdictInput& known) {
  return {.all = HidesMuch(known.report.unrecognised),
          .communication = HasNoBound(known, SuspectId::kCommunication),
          .data = HasNoBound(known, SuspectId::kDataPipeline)};
}

void LeaveOutBounds(const WithoutBound& of, std::vector<Recommendation>& recommendations) {
  for (Recommendation& one : recommendations) {
    if (!of.all && !(of.data && one.name == "high_input_cost")) continue;
    one.at_most_share.reset();
    one.at_most_ns.reset();
  }
}

void LeaveOutBounds(const WithoutBound& of, const ProfileDistributed& calls,
                    std::vector<WhatIf>& changes) {
  const auto seen = static_cast<int64_t>(calls.ranks.size());
  const bool communication = of.communication || calls.world_size.value_or(seen) > seen;
  for (WhatIf& change : changes) {
    const bool of_this = (communication && change.stage == NameOf(PathCause::kCommunication)) ||
                         (of.data && change.stage == NameOf(PathCause::kData));
    if (!of.all && !of_this) continue;
    change.at_most_ns.reset();
    change.step_at_most_ns.reset();
  }
}

}  // namespace steptrace::analyze
