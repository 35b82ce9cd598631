// SPDX-License-Identifier: Apache-2.0
#include "analyze/stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace steptrace::analyze {
namespace {

// SplitMix64: its sequence is the same on every machine and library, unlike std distributions.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // Uniform in [0, bound); the bias is below bound / 2^64.
  size_t Below(size_t bound) {
    return static_cast<size_t>((static_cast<unsigned __int128>(Next()) * bound) >> 64);
  }

 private:
  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  uint64_t state_;
};

// Sums of up to kMaxBootstrapCells cells, as running totals twice round, so that a block that
// passes the end goes on at the start.
std::vector<double> CircularPrefix(std::span<const int64_t> values, size_t cells) {
  std::vector<double> sums(cells, 0.0);
  for (size_t i = 0; i < values.size(); ++i) {
    sums[i * cells / values.size()] += static_cast<double>(values[i]);
  }
  std::vector<double> prefix(2 * cells + 1, 0.0);
  for (size_t i = 0; i < 2 * cells; ++i) prefix[i + 1] = prefix[i] + sums[i % cells];
  return prefix;
}

}  // namespace

Interval BootstrapRatioOfSums(std::span<const int64_t> numerators,
                              std::span<const int64_t> denominators,
                              const BootstrapOptions& options) {
  const size_t steps = std::min(numerators.size(), denominators.size());
  if (steps == 0) return {};
  const size_t cells = std::min<size_t>(steps, kMaxBootstrapCells);
  const auto top = CircularPrefix(numerators.first(steps), cells);
  const auto bottom = CircularPrefix(denominators.first(steps), cells);
  if (bottom[cells] <= 0) return {};
  // n^(1/3) is the length at which the error of a block bootstrap's variance falls fastest.
  const size_t block =
      std::max<size_t>(1, static_cast<size_t>(std::lround(std::cbrt(static_cast<double>(cells)))));
  const size_t draws = (cells + block - 1) / block;

  Random random(options.seed);
  std::vector<double> ratios;
  ratios.reserve(static_cast<size_t>(options.resamples));
  for (int i = 0; i < options.resamples; ++i) {
    double a = 0, b = 0;
    for (size_t draw = 0; draw < draws; ++draw) {
      const size_t start = random.Below(cells);
      a += top[start + block] - top[start];
      b += bottom[start + block] - bottom[start];
    }
    if (b > 0) ratios.push_back(a / b);
  }
  const double ratio = top[cells] / bottom[cells];
  if (ratios.empty()) return {ratio, ratio};
  std::sort(ratios.begin(), ratios.end());
  const double tail = (1 - options.confidence) / 2 * static_cast<double>(ratios.size());
  const auto cut = std::min(static_cast<size_t>(tail), (ratios.size() - 1) / 2);
  return {std::min(ratio, ratios[cut]), std::max(ratio, ratios[ratios.size() - 1 - cut])};
}

}  // namespace steptrace::analyze
