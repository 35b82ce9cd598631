// SPDX-License-Identifier: Apache-2.0
#include "analyze/samples/sample_share.h"

#include <algorithm>
#include <cmath>

namespace steptrace::analyze {
namespace {

constexpr double kZ = 1.959963984540054;  // of 95 %

double DesignEffect(std::span<const ShareCell> blocks, double p, double whole, double samples) {
  double squares = 0;
  double count = 0;
  for (const ShareCell& block : blocks) {
    if (block.whole <= 0) continue;
    const double residual = block.part - p * block.whole;
    squares += residual * residual;
    ++count;
  }
  const double binomial = p * (1 - p) / samples;
  if (count < 2 || binomial <= 0) return 1;
  return std::max(1.0, count / (count - 1) * squares / (whole * whole) / binomial);
}

}  // namespace

Interval SampleShareInterval(std::span<const ShareCell> blocks, double samples) {
  double part = 0;
  double whole = 0;
  for (const ShareCell& block : blocks) {
    part += block.part;
    whole += block.whole;
  }
  if (!(whole > 0) || !(samples > 0)) return {0, 1};
  const double p = std::clamp(part / whole, 0.0, 1.0);
  const double n = samples / DesignEffect(blocks, p, whole, samples);
  const double z2 = kZ * kZ;
  const double middle = p + z2 / (2 * n);
  const double half = kZ * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
  const double scale = 1 + z2 / n;
  // The share itself is always within, whatever rounding does to its ends.
  return {std::clamp((middle - half) / scale, 0.0, p), std::clamp((middle + half) / scale, p, 1.0)};
}

}  // namespace steptrace::analyze
