// SPDX-License-Identifier: Apache-2.0
#include "analyze/stats/quantile.h"

#include <algorithm>
#include <cmath>

namespace steptrace::analyze {
namespace {

// Hyndman and Fan's seventh definition, numpy's default.
double QuantileOfSorted(std::span<const double> sorted, double share) {
  if (sorted.empty()) return 0;
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = at - static_cast<double>(below);
  const double difference = sorted[above] - sorted[below];
  // From the nearer end, so that both ends come out exactly.
  return part < 0.5 ? sorted[below] + difference * part : sorted[above] - difference * (1 - part);
}

}  // namespace

double Quantile(std::span<const double> values, double share) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return QuantileOfSorted(sorted, share);
}

std::optional<BoxStats> DescribeBox(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  BoxStats box;
  box.min = values.front();
  box.p5 = QuantileOfSorted(values, 0.05);
  box.p25 = QuantileOfSorted(values, 0.25);
  box.p50 = QuantileOfSorted(values, 0.50);
  box.p75 = QuantileOfSorted(values, 0.75);
  box.p95 = QuantileOfSorted(values, 0.95);
  box.max = values.back();
  const double range = box.p75 - box.p25;
  box.upper = std::min(box.p75 + 1.5 * range, box.max);
  box.lower = std::max(box.p25 - 1.5 * range, box.min);
  box.samples = static_cast<int64_t>(values.size());
  return box;
}

double Mean(std::span<const double> values) {
  double sum = 0;
  for (double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double Deviation(std::span<const double> values) {
  const double mean = Mean(values);
  double sum = 0;
  for (double value : values) sum += (value - mean) * (value - mean);
  return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
}

double RobustSlope(std::span<const double> values) {
  constexpr size_t kMostBlocks = 60;  // 1,770 pairs
  const size_t blocks = std::min(kMostBlocks, values.size());
  if (blocks < 2) return 0;
  std::vector<double> at, middle;
  for (size_t i = 0; i < blocks; ++i) {
    const size_t begin = i * values.size() / blocks;
    const size_t end = (i + 1) * values.size() / blocks;
    at.push_back(static_cast<double>(begin + end - 1) / 2);
    middle.push_back(Quantile(values.subspan(begin, end - begin), 0.5));
  }
  std::vector<double> slopes;
  for (size_t i = 0; i < blocks; ++i) {
    for (size_t j = i + 1; j < blocks; ++j) {
      slopes.push_back((middle[j] - middle[i]) / (at[j] - at[i]));
    }
  }
  return Quantile(slopes, 0.5);
}

}  // namespace steptrace::analyze
