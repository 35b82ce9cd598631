// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace steptrace::analyze {

// A step is an outlier when it is longer than the median by so many robust standard deviations
// (1.4826 x median absolute deviation). Five: about one in a million steps of a normal spread.
inline constexpr double kOutlierDeviations = 5;
// Steps of nearly equal length have a deviation near 0: below this share of the median a
// difference is no news to anybody.
inline constexpr double kOutlierMinDeviationShare = 0.03;

struct OutlierRule {
  int64_t median_ns = 0;
  int64_t threshold_ns = 0;  // longer than this is an outlier
};

// Empty input has no rule.
std::optional<OutlierRule> FindOutlierRule(std::vector<int64_t> durations_ns);

struct StepGrowth {
  size_t part = 0;
  int64_t excess = 0;
};

// The part that grew most over its median; both spans have one entry a part.
StepGrowth LargestGrowth(std::span<const int64_t> parts, std::span<const int64_t> medians);

}  // namespace steptrace::analyze
