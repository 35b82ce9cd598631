// SPDX-License-Identifier: Apache-2.0
#include "timeline/view.h"

#include <algorithm>

namespace steptrace::timeline {
namespace {

ViewRow WholeSlice(const Lane& lane, uint64_t at) {
  const int64_t ts_ns = lane.Ts(at);
  const int64_t dur_ns = lane.End(at) - ts_ns;
  return {ts_ns, dur_ns, 1, dur_ns, at};
}

// The slices of a lane that begin in one pixel: numbers [begin, end).
struct Pixel {
  int64_t from_ns;
  int64_t to_ns;
  uint64_t begin;
  uint64_t end;
};

// Exact: slices of a lane are disjoint, so only the one before can reach in, only the last one out.
int64_t BusyNs(const Lane& lane, const Pixel& pixel, uint64_t covered_ns) {
  uint64_t busy_ns = covered_ns;
  const int64_t last_end_ns = lane.End(pixel.end - 1);
  if (last_end_ns > pixel.to_ns) busy_ns -= static_cast<uint64_t>(last_end_ns - pixel.to_ns);
  if (pixel.begin > 0) {
    const int64_t reaches_ns = std::min(lane.End(pixel.begin - 1), pixel.to_ns);
    if (reaches_ns > pixel.from_ns) busy_ns += static_cast<uint64_t>(reaches_ns - pixel.from_ns);
  }
  return static_cast<int64_t>(busy_ns);
}

// The longest of the pixel's slices but for the one at `drawn`.
uint64_t LongestBut(const Lane& lane, const Pixel& pixel, uint64_t drawn) {
  if (drawn >= pixel.end) return lane.Longest(pixel.begin, pixel.end);
  if (drawn == pixel.begin) return lane.Longest(drawn + 1, pixel.end);
  const uint64_t before = lane.Longest(pixel.begin, drawn);
  if (drawn + 1 == pixel.end) return before;
  const uint64_t after = lane.Longest(drawn + 1, pixel.end);
  return lane.Dur(after) > lane.Dur(before) ? after : before;
}

}  // namespace

void ViewLane(const Lane& lane, const PixelGrid& grid, std::vector<ViewRow>& rows) {
  const int64_t long_from_ns = grid.LongFromNs();
  uint64_t at = lane.LowerBound(grid.from_ns());
  const uint64_t end = lane.LowerBound(grid.to_ns(), at);
  if (at > 0 && lane.End(at - 1) > grid.from_ns() && lane.Dur(at - 1) >= long_from_ns) {
    rows.push_back(WholeSlice(lane, at - 1));
  }
  uint64_t next_long = lane.NextFrom(at, end, long_from_ns);
  uint64_t covered_ns = at < end ? lane.CoveredBefore(at) : 0;
  while (at < end) {
    const int64_t number = grid.PixelOf(lane.Ts(at));
    Pixel pixel = {grid.Edge(number), grid.Edge(number + 1), at, 0};
    pixel.end = std::min(end, lane.LowerBound(pixel.to_ns, at));
    if (pixel.end <= at) return;  // a damaged file: its slices are in no order
    const uint64_t covered_after_ns = lane.CoveredBefore(pixel.end);
    const uint64_t drawn = next_long;
    auto gathered = static_cast<int64_t>(pixel.end - pixel.begin);
    if (drawn < pixel.end) {  // two cannot begin in one pixel: each is at least as long
      rows.push_back(WholeSlice(lane, drawn));
      next_long = lane.NextFrom(drawn + 1, end, long_from_ns);
      --gathered;
    }
    if (gathered > 0) {
      rows.push_back({pixel.from_ns, pixel.to_ns - pixel.from_ns, gathered,
                      BusyNs(lane, pixel, covered_after_ns - covered_ns),
                      LongestBut(lane, pixel, drawn)});
    }
    covered_ns = covered_after_ns;
    at = pixel.end;
  }
}

}  // namespace steptrace::timeline
