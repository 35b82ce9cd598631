// SPDX-License-Identifier: Apache-2.0
#include "analyze/stats/outliers.h"

#include <algorithm>
#include <cmath>

#include "analyze/stats/distribution.h"

namespace steptrace::analyze {
namespace {

constexpr double kDeviationsPerMad = 1.4826;  // of a normal distribution

}  // namespace

std::optional<OutlierRule> FindOutlierRule(std::vector<int64_t> durations_ns) {
  if (durations_ns.empty()) return std::nullopt;
  const int64_t median = TakePercentile(durations_ns, 50);
  for (int64_t& duration : durations_ns) duration = std::abs(duration - median);
  const double mad = static_cast<double>(TakePercentile(durations_ns, 50));
  const double deviation =
      std::max(kDeviationsPerMad * mad, kOutlierMinDeviationShare * static_cast<double>(median));
  return OutlierRule{median, median + std::llround(kOutlierDeviations * deviation)};
}

StepGrowth LargestGrowth(std::span<const int64_t> parts, std::span<const int64_t> medians) {
  StepGrowth best;
  for (size_t part = 0; part < parts.size() && part < medians.size(); ++part) {
    const int64_t excess = parts[part] - medians[part];
    if (part == 0 || excess > best.excess) best = {part, excess};
  }
  return best;
}

}  // namespace steptrace::analyze
