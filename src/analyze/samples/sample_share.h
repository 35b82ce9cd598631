// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "analyze/stats/bootstrap.h"

namespace steptrace::analyze {

// Of a block of neighbouring steps: the weight (ns) of the samples that show something, and of all.
struct ShareCell {
  double part = 0;
  double whole = 0;
};

// The 95 % interval of sum(part) / sum(whole) of samples that are alike within a block of steps.
//
// A sample is a draw from a multinomial distribution: one category of it has the score interval
//   (p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n)        z = 1.96
// of E. B. Wilson, J. Am. Stat. Assoc. 22 (1927) 209. Unlike a bootstrap it says something of what
// was never seen: up to z^2/(n + z^2). Samples of one block are alike, so n is what they are worth:
// `samples` (of unequal weights w: (sum w)^2 / sum w^2) over the design effect, at least 1,
//   v / (p(1-p)/samples),    v = m/(m-1) sum_b (part_b - p whole_b)^2 / (sum_b whole_b)^2,
// the variance of a ratio between m clusters (W. G. Cochran, Sampling Techniques, 3rd ed. 1977,
// eq. 9.27 and 9A; the design effect: L. Kish, Survey Sampling, 1965). No samples: {0, 1}.
Interval SampleShareInterval(std::span<const ShareCell> blocks, double samples);

}  // namespace steptrace::analyze
