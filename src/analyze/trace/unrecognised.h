// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/trace/trace.h"

// Events of kinds that nobody knows: how many of each, and how much of the steps they may explain.
namespace steptrace::analyze {

struct UnrecognisedKind {
  std::string category;
  int64_t events = 0;
};

struct Unrecognised {
  std::vector<UnrecognisedKind> kinds;  // the most events first; at most kMostUnrecognisedKinds
  int64_t more_kinds = 0;               // beyond these
  int64_t events = 0;                   // of all kinds
  // Of the steps, or of all of a profile without: where such events run, and no device does work
  // that is known. Over all ranks.
  int64_t held_ns = 0;
  int64_t steps_ns = 0;

  double share() const {
    return steps_ns > 0 ? static_cast<double>(held_ns) / static_cast<double>(steps_ns) : 0;
  }
};

inline constexpr size_t kMostUnrecognisedKinds = 16;

Unrecognised FindUnrecognised(const Trace& profile);

// Whether so much of the steps that no verdict may claim that nothing else is in them.
inline bool HidesMuch(const Unrecognised& found) {
  constexpr double kMuch = 0.10;
  return found.share() >= kMuch;
}

}  // namespace steptrace::analyze
