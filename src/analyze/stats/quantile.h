// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

// Statistics as the reference's reports have them: quantiles by linear interpolation, deviations of
// the population.
namespace steptrace::analyze {

// Of values that are not sorted; `share` from 0 to 1. 0 where there are none.
double Quantile(std::span<const double> values, double share);

struct BoxStats {
  double min = 0, p5 = 0, p25 = 0, p50 = 0, p75 = 0, p95 = 0, max = 0;
  double lower = 0, upper = 0;  // whiskers: 1.5 interquartile ranges, within the values
  int64_t samples = 0;
};
std::optional<BoxStats> DescribeBox(std::vector<double> values);

double Mean(std::span<const double> values);
double Deviation(std::span<const double> values);  // of the population

// Slope of values over their number, by the median of the slopes between medians of blocks
// (Theil, Sen): single outliers do not move it. Per sample.
double RobustSlope(std::span<const double> values);

}  // namespace steptrace::analyze
