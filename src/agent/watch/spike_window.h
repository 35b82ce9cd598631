// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace steptrace::agent {

struct Spike {
  double usual = 0;        // median of the window
  int64_t deviations = 0;  // above it: a robust z
};

// Says of each value whether it stands out of the up to 128 before it. It does where it is
//
//   ten robust standard deviations (1.4826 times the median absolute deviation) above the median,
//   and where all values are above 0 six by their logarithms too: sizes of losses and gradients
//   often have long tails
//   farther above the largest one than that lies above the median
//
// A deviation is no less than a hundredth of the median, so that a constant that wavers is no
// spike.
class SpikeWindow {
 public:
  static constexpr size_t kMost = 128;
  static constexpr size_t kLeast = 32;

  // It is one of the window from then on. Only finite ones.
  std::optional<Spike> Add(double value);
  bool has_judged() const { return judged_; }
  int64_t seen() const { return static_cast<int64_t>(values_.size()); }

 private:
  std::optional<Spike> Judge(double value) const;

  std::deque<double> values_;
  bool judged_ = false;
};

}  // namespace steptrace::agent
