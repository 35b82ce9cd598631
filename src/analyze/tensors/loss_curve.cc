// SPDX-License-Identifier: Apache-2.0
#include "analyze/tensors/loss_curve.h"

#include <algorithm>
#include <utility>

namespace steptrace::analyze {

void LossCurve::Sum::Add(const Sum& other) {
  if (other.finite() > 0) {
    low = finite() > 0 ? std::min(low, other.low) : other.low;
    high = finite() > 0 ? std::max(high, other.high) : other.high;
  }
  readings += other.readings;
  not_finite += other.not_finite;
  sum += other.sum;
}

void LossCurve::Add(int64_t step, std::optional<double> loss) {
  if (step < 0) return;
  const double value = loss.value_or(0);
  parts_[step >> width_log2_].Add(
      {.readings = 1, .not_finite = loss ? 0 : 1, .sum = value, .low = value, .high = value});
  while (parts_.size() > kMostParts) Halve();
}

void LossCurve::Halve() {
  ++width_log2_;
  std::map<int64_t, Sum> halved;
  for (const auto& [part, sum] : parts_) halved[part / 2].Add(sum);
  parts_ = std::move(halved);
}

std::vector<LossPart> LossCurve::Parts() const {
  std::vector<LossPart> parts;
  for (const auto& [number, sum] : parts_) {
    const int64_t from = number << width_log2_;
    const int64_t width = int64_t{1} << width_log2_;
    LossPart part{.from_step = from,
                  .to_step = from > INT64_MAX - width ? INT64_MAX : from + width,
                  .readings = sum.readings,
                  .not_finite = sum.not_finite};
    if (sum.finite() > 0) {
      part.mean = sum.sum / static_cast<double>(sum.finite());
      part.low = sum.low;
      part.high = sum.high;
    }
    parts.push_back(part);
  }
  return parts;
}

}  // namespace steptrace::analyze
