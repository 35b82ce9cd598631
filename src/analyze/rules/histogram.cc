// SPDX-License-Identifier: Apache-2.0
#include "analyze/rules/histogram.h"

#include <algorithm>
#include <cmath>

namespace steptrace::analyze {
namespace {

double LowerEdge(const Histogram& histogram, size_t bin, size_t bins) {
  const double share = static_cast<double>(bin) / static_cast<double>(bins);
  return histogram.low + (histogram.high - histogram.low) * share;
}

size_t BinOf(const Histogram& histogram, double value) {
  const size_t bins = histogram.counts.size();
  const double width = histogram.high - histogram.low;
  if (!(width > 0)) return 0;
  const double at = (value - histogram.low) / width * static_cast<double>(bins);
  size_t bin = std::min(static_cast<size_t>(at), bins - 1);
  // The division may be off by a rounding: the boundaries decide.
  if (bin > 0 && value < LowerEdge(histogram, bin, bins)) --bin;
  if (bin + 1 < bins && value >= LowerEdge(histogram, bin + 1, bins)) ++bin;
  return bin;
}

}  // namespace

Histogram MakeHistogram(std::span<const double> values, double low, double high, size_t bins) {
  Histogram histogram{low, high, {}, 0, 0};
  if (values.empty()) return histogram;
  histogram.counts.resize(bins);
  for (double value : values) {
    if (value < low) {
      ++histogram.below;
    } else if (value > high) {
      ++histogram.above;
    } else if (!std::isnan(value)) {
      ++histogram.counts[BinOf(histogram, value)];
    }
  }
  return histogram;
}

Histogram MakeHistogram(std::span<const double> values, size_t bins) {
  if (values.empty()) return {};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return MakeHistogram(values, *least, *most, bins);
}

}  // namespace steptrace::analyze
