// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyze/trace/intervals.h"

namespace steptrace::analyze {

// Goes over windows that may overlap, in order of time, and over each moment once however many of
// them it lies in: calls `begin(i)` and `end(i)` at the boundaries of window i, and `piece(time
// range)` for what lies between two boundaries and in a window. A window's sum is what was summed
// up to its end less what was up to its begin. Empty and inverted windows are left out.
template <class Begin, class Piece, class End>
void GoOverWindows(std::span<const TimeRange> windows, Begin begin, Piece piece, End end) {
  std::vector<size_t> by_begin;
  for (size_t i = 0; i < windows.size(); ++i) {
    if (windows[i].begin_ns < windows[i].end_ns) by_begin.push_back(i);
  }
  std::vector<size_t> by_end = by_begin;
  std::stable_sort(by_begin.begin(), by_begin.end(),
                   [&](size_t a, size_t b) { return windows[a].begin_ns < windows[b].begin_ns; });
  std::stable_sort(by_end.begin(), by_end.end(),
                   [&](size_t a, size_t b) { return windows[a].end_ns < windows[b].end_ns; });
  size_t begun = 0;
  int64_t at_ns = 0;
  const auto go_on = [&](int64_t ns, bool in_window) {
    if (in_window && at_ns < ns) piece(TimeRange{at_ns, ns});
    at_ns = ns;
  };
  for (size_t ended = 0; ended < by_end.size(); ++ended) {
    const int64_t end_ns = windows[by_end[ended]].end_ns;
    for (; begun < by_begin.size() && windows[by_begin[begun]].begin_ns < end_ns; ++begun) {
      go_on(windows[by_begin[begun]].begin_ns, begun > ended);
      begin(by_begin[begun]);
    }
    go_on(end_ns, true);
    end(by_end[ended]);
  }
}

}  // namespace steptrace::analyze
