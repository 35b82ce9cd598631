// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace steptrace::analyze {

// Counts in bins of equal width from `low` to `high`. A bin holds its lower boundary and not its
// upper one; the last holds both, as numpy.histogram's does.
struct Histogram {
  double low = 0;
  double high = 0;
  std::vector<int64_t> counts;  // empty: there was no value
  int64_t below = 0;            // values outside, and those that are no numbers in neither
  int64_t above = 0;
};

// `bins` is over 0. Where high <= low all values that equal low are in the first bin.
Histogram MakeHistogram(std::span<const double> values, double low, double high, size_t bins);

// From the least value to the largest.
Histogram MakeHistogram(std::span<const double> values, size_t bins);

}  // namespace steptrace::analyze
