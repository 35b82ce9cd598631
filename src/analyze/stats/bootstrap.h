// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

// How sure a share is: the interval in which the ratio of two sums over steps lies, from redrawing
// the steps. Neighbouring steps are alike (workers deliver in turns, caches warm up), so runs of
// neighbours are drawn, not single steps: a circular block bootstrap.
namespace steptrace::analyze {

struct BootstrapOptions {
  uint64_t seed = 0x5354455054524143ull;  // fixed: the same run gives the same report
  int resamples = 1000;                   // percentiles of a 95 % interval settle within 0.2 points
  double confidence = 0.95;
};

struct Interval {
  double low = 0;
  double high = 0;
};

// More steps than this are first summed into so many cells of neighbours: the cost stays flat and
// blocks get longer with the run.
inline constexpr int kMaxBootstrapCells = 1000;

// Interval of sum(numerators) / sum(denominators); both spans have one entry a step, in order of
// time. It always holds the ratio of the sums itself. {0, 0} where the denominators sum to 0.
Interval BootstrapRatioOfSums(std::span<const int64_t> numerators,
                              std::span<const int64_t> denominators,
                              const BootstrapOptions& options = {});

}  // namespace steptrace::analyze
