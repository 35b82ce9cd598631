// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analyze/ranks/timed_call.h"

// Two ranks' lists of calls in order, of which some may be missing on either side, set side by
// side.
namespace steptrace::analyze {

enum class OrderTrust : uint8_t {
  kAlone,      // equal counts of like calls are enough where the times tell nothing better
  kWithClocks  // the times must bear it out
};

enum class Certainty : uint8_t {
  kSure,
  kAmbiguous,   // one list slid along the other by a call fits as well: as where all gaps are equal
  kNothingFits  // nothing fits well enough: no pairs
};

struct Alignment {
  std::vector<std::pair<int32_t, int32_t>> pairs;  // index in a, index in b; ascending in both
  Certainty certainty = Certainty::kNothingFits;
  int64_t offset_ns = 0;  // that the clock of b is ahead, as far as it was looked for
};

// Parts of one collective run at one moment and end nearly together, once it is taken off what the
// clocks differ by: that difference is looked for at which most calls find a counterpart and the
// ends lie nearest. It may change slowly. `alike`: whether two calls may be one. `hints_ns`:
// differences that may well be the one, as those of the same node's other ranks; where one fits,
// none is looked for, which is most of the cost.
Alignment AlignCalls(std::span<const TimedCall> a, std::span<const TimedCall> b,
                     const MayBeOne& alike, OrderTrust trust,
                     std::span<const int64_t> hints_ns = {});

}  // namespace steptrace::analyze
