// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/suspect_share.h"

#include <algorithm>

namespace steptrace::analyze {

std::array<SuspectShare, kSuspectCount> SuspectShares(const StepTimes& times) {
  const auto shares = ExactShares(BySuspect(times.total()));
  std::array<SuspectShare, kSuspectCount> found;
  for (size_t i = 0; i < kSuspectCount; ++i) {
    const SuspectId suspect = kSuspects[i];
    const Interval drawn = times.total_ns() > 0 ? times.Share(suspect) : Interval{};
    const double share = shares[static_cast<size_t>(suspect)];
    found[i] = {suspect, share, Around(share, drawn)};
  }
  return found;
}

Interval Around(double share, const Interval& interval) {
  if (interval.low == interval.high) return {share, share};
  return {std::min(share, interval.low), std::max(share, interval.high)};
}

}  // namespace steptrace::analyze
