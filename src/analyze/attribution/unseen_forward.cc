// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/unseen_forward.h"

#include <algorithm>

#include "analyze/attribution/portion.h"

namespace steptrace::analyze {

int64_t UnseenForwardNs(const store::StepRow& row, int64_t forward_ns,
                        const AttributionRules& rules) {
  if (!rules.forward_unseen) return 0;
  if (rules.dispatch == nullptr) return forward_ns;
  const auto apart = rules.dispatch->apart.find(row.rank);
  if (apart == rules.dispatch->apart.end()) return forward_ns;
  const int64_t phases_ns = forward_ns + row.backward_ns + row.optimizer_ns;
  return std::min(forward_ns, Portion(apart->second, phases_ns));
}

double UnseenForwardShare(const store::PackedSteps& steps, const StepSelection& selection,
                          const AttributionRules& rules) {
  if (!rules.forward_unseen) return 0;
  int64_t unseen_ns = 0, all_ns = 0;
  for (const uint32_t i : selection.steady) {
    const store::StepRow& row = steps[i];
    unseen_ns += UnseenForwardNs(row, std::clamp<int64_t>(row.forward_ns, 0, row.dur_ns), rules);
    all_ns += row.dur_ns;
  }
  return static_cast<double>(unseen_ns) / static_cast<double>(std::max<int64_t>(all_ns, 1));
}

}  // namespace steptrace::analyze
