// SPDX-License-Identifier: Apache-2.0
#include "analyze/derive/operator_times.h"

#include <algorithm>

namespace steptrace::analyze {

void OperatorTimes::CloseWindow() {
  open_ = false;
  operators_.clear();
  way_ns_ = 0;
  beyond_ = 0;
}

void OperatorTimes::Begin(bool computes) {
  if (operators_.size() >= kMaxDepth) {
    ++beyond_;
    return;
  }
  if (!operators_.empty()) operators_.back().calls = true;
  operators_.push_back({.computes = computes});
}

int64_t OperatorTimes::End() {
  if (beyond_ > 0) {
    --beyond_;
    return 0;
  }
  if (operators_.empty()) return 0;
  const Open ended = operators_.back();
  operators_.pop_back();
  if (!ended.computes) return 0;
  return std::max<int64_t>(ended.own_ns - (ended.calls ? kCallingNs : kSetUpNs), 0);
}

void FillOperators(const WindowTimes& sums, store::StepRow& row) {
  const int64_t all_ns = row.forward_ns + row.backward_ns + row.optimizer_ns;
  const int64_t phases_ns = all_ns - std::clamp<int64_t>(sums.script_ns, 0, all_ns);
  const int64_t computing = std::clamp<int64_t>(sums.computing_ns, 0, phases_ns);
  int64_t cost_ns = 0;
  if (__builtin_mul_overflow(sums.operators, kOperatorCostNs, &cost_ns)) cost_ns = phases_ns;
  const int64_t between = std::max<int64_t>(phases_ns - computing - cost_ns, 0);
  const int64_t seen = computing + between;
  // Where the cost of the window is all that there is, nothing is known of the rest: it computes.
  const auto part = seen == 0 ? static_cast<__int128>(phases_ns)
                              : static_cast<__int128>(phases_ns) * computing / seen;
  row.operators_ns = static_cast<int64_t>(part);
  row.dispatch_ns = phases_ns - *row.operators_ns;
}

}  // namespace steptrace::analyze
