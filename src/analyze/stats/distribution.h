// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/saturating.h"

// What a set of values looks like, exactly: a percentile is a value that occurred (nearest rank),
// never one between two. Whole numbers stay whole numbers.
namespace steptrace::analyze {

struct IntegerDistribution {
  int64_t mean = 0;  // rounded to the nearest, halves away from zero
  int64_t min = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0, max = 0;
};

struct RealDistribution {
  double mean = 0, min = 0, p50 = 0, p95 = 0, p99 = 0, max = 0;
  int64_t samples = 0;
};

// The smallest value that at least `percent` (1 to 100) of the values do not exceed.
int64_t PercentileOfSorted(std::span<const int64_t> sorted, int percent);
// The same of values in any order, which it changes: faster than sorting for one or two of them.
int64_t TakePercentile(std::span<int64_t> values, int percent);

// Empty: there is nothing to describe.
std::optional<IntegerDistribution> Describe(std::vector<int64_t> values);
// Values that are no numbers are left out.
std::optional<RealDistribution> Describe(std::vector<double> values);

// At most `buckets` means over equal time ranges of [from_ns, to_ns); a time range without a value
// repeats the one before it.
std::vector<double> Sparkline(std::span<const int64_t> times_ns, std::span<const double> values,
                              int64_t from_ns, int64_t to_ns, int buckets);

// What a second holds of `count` that took so many ns, more than 0. A whole number where it is one:
// the division is made before the rounding.
double PerSecond(int64_t count, int64_t ns);

}  // namespace steptrace::analyze
