// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace steptrace::rpc {

// A time range of a run that is asked for, [from, to): of rows those that begin in it, of steps
// those that lie in it. Without a bound it reaches to that end of the run.
struct TimeBounds {
  std::optional<int64_t> from_ns;
  std::optional<int64_t> to_ns;

  bool any() const { return from_ns || to_ns; }
};

// Whether a step, or its mark, lies in the time range as a whole. Every view counts these and no
// others.
template <class Step>
bool LiesIn(const TimeBounds& bounds, const Step& step) {
  if (bounds.from_ns && step.ts_ns < *bounds.from_ns) return false;
  int64_t end_ns = 0;
  return !bounds.to_ns ||
         (!__builtin_add_overflow(step.ts_ns, step.dur_ns, &end_ns) && end_ns <= *bounds.to_ns);
}

template <class Step>
bool BeginsIn(const TimeBounds& bounds, const Step& step) {
  return (!bounds.from_ns || step.ts_ns >= *bounds.from_ns) &&
         (!bounds.to_ns || step.ts_ns < *bounds.to_ns);
}

}  // namespace steptrace::rpc
