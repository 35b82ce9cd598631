// SPDX-License-Identifier: Apache-2.0
#include "timeline/view.h"

#include <algorithm>
#include <functional>

#include "base/in_parallel.h"

namespace steptrace::timeline {
namespace {

// From so many slices a pixel on finding all edges costs less than going from slice to slice.
constexpr uint64_t kFullPixel = 4;

ViewRow WholeSlice(const Lane& lane, uint64_t at) {
  const int64_t ts_ns = lane.Ts(at);
  const int64_t dur_ns = lane.End(at) - ts_ns;
  return {.ts_ns = ts_ns, .dur_ns = dur_ns, .count = 1, .busy_ns = dur_ns, .at = at};
}

// The slices of a lane that begin in one pixel: numbers [begin, end).
struct Pixel {
  int64_t from_ns;
  int64_t to_ns;
  uint64_t begin;
  uint64_t end;
};

// What of the lane crosses a pixel's edges.
struct BusyEnds {
  bool any_before;
  int64_t before_end_ns;  // end of the slice before the pixel's first
  int64_t last_end_ns;    // end of its last
};

// Exact: slices of a lane are disjoint, so only the one before can reach in, only the last one out.
int64_t BusyNs(const Pixel& pixel, uint64_t covered_ns, const BusyEnds& ends) {
  uint64_t busy_ns = covered_ns;
  if (ends.last_end_ns > pixel.to_ns) {
    busy_ns -= static_cast<uint64_t>(ends.last_end_ns) - static_cast<uint64_t>(pixel.to_ns);
  }
  if (ends.any_before) {
    const int64_t reaches_ns = std::min(ends.before_end_ns, pixel.to_ns);
    if (reaches_ns > pixel.from_ns) {
      busy_ns += static_cast<uint64_t>(reaches_ns) - static_cast<uint64_t>(pixel.from_ns);
    }
  }
  return static_cast<int64_t>(busy_ns);
}

// The longest of the pixel's slices but for the one at `drawn`, one of them.
uint64_t LongestBut(const Lane& lane, const Pixel& pixel, uint64_t drawn) {
  if (drawn == pixel.begin) return lane.Longest(drawn + 1, pixel.end);
  const uint64_t before = lane.Longest(pixel.begin, drawn);
  if (drawn + 1 == pixel.end) return before;
  const uint64_t after = lane.Longest(drawn + 1, pixel.end);
  return lane.Dur(after) > lane.Dur(before) ? after : before;
}

// Adds the pixels of a time range one after the other.
class RowsOf {
 public:
  RowsOf(const Lane& lane, const PixelGrid& grid, uint64_t end, std::vector<ViewRow>& rows)
      : lane_(lane), end_(end), long_from_ns_(grid.LongFromNs()), rows_(rows) {}

  void Begin(uint64_t at) { next_long_ = lane_.NextFrom(at, end_, long_from_ns_); }

  // `longest` gives the longest of the pixel's slices where none of them is drawn by itself.
  template <class F>
  void Add(const Pixel& pixel, uint64_t covered_ns, const BusyEnds& ends, F longest) {
    const uint64_t drawn = next_long_;
    auto gathered = static_cast<int64_t>(pixel.end - pixel.begin);
    if (drawn < pixel.end) {  // two cannot begin in one pixel: each is at least as long
      rows_.push_back(WholeSlice(lane_, drawn));
      next_long_ = lane_.NextFrom(drawn + 1, end_, long_from_ns_);
      --gathered;
    }
    if (gathered == 0) return;
    rows_.push_back({.ts_ns = pixel.from_ns,
                     .dur_ns = pixel.to_ns - pixel.from_ns,
                     .count = gathered,
                     .busy_ns = BusyNs(pixel, covered_ns, ends),
                     .at = drawn < pixel.end ? LongestBut(lane_, pixel, drawn) : longest()});
  }

 private:
  const Lane& lane_;
  uint64_t end_;
  int64_t long_from_ns_;
  uint64_t next_long_ = 0;
  std::vector<ViewRow>& rows_;
};

// Pixels of which each holds many slices, from one to before another: all their edges are found
// together.
struct Pixels {
  int64_t begin = 0;
  int64_t end = 0;
};
void ViewFull(const Lane& lane, const PixelGrid& grid, Pixels pixels, RowsOf& rows) {
  constexpr int64_t kEdges = 64;
  int64_t edge_ns[kEdges];
  Lane::Cut cuts[kEdges + 1];  // the first is the last of those before
  edge_ns[0] = grid.Edge(pixels.begin);
  lane.CutAt(edge_ns, 1, cuts);
  for (int64_t first = pixels.begin; first < pixels.end; first += kEdges) {
    const int64_t many = std::min(kEdges, pixels.end - first);
    const int64_t before_ns = first == pixels.begin ? edge_ns[0] : edge_ns[kEdges - 1];
    for (int64_t i = 0; i < many; ++i) edge_ns[i] = grid.Edge(first + i + 1);
    lane.CutAt(edge_ns, static_cast<size_t>(many), cuts + 1);
    for (int64_t i = 0; i < many; ++i) {
      const Lane::Cut& from = cuts[i];
      const Lane::Cut& to = cuts[i + 1];
      if (from.at > to.at) return;  // a damaged file: its slices are in no order
      if (from.at == to.at) continue;
      const Pixel pixel = {i == 0 ? before_ns : edge_ns[i - 1], edge_ns[i], from.at, to.at};
      rows.Add(pixel, to.covered_ns - from.covered_ns,
               {from.at > 0, from.reaches_ns, to.reaches_ns},
               [&] { return lane.Longest(from, to); });
    }
    cuts[0] = cuts[many];
  }
}

// The same by halves at once: a thread reads one lane at a time. What begins in a pixel is of that
// pixel, so the halves know nothing of one another.
void ViewHalves(const Lane& lane, const PixelGrid& grid, uint64_t at, uint64_t end,
                std::vector<ViewRow>& rows) {
  const int64_t middle = grid.width() / 2;
  const uint64_t middle_at = std::min(end, lane.LowerBound(grid.Edge(middle), at));
  std::vector<ViewRow> second;
  const auto view = [&grid](Lane own, Pixels pixels, uint64_t begin, uint64_t stop,
                            std::vector<ViewRow>& to) {
    RowsOf of_half(own, grid, stop, to);
    of_half.Begin(begin);
    ViewFull(own, grid, pixels, of_half);
  };
  const std::function<void()> tasks[] = {
      [&] {
        view(lane, {0, middle}, at, middle_at, rows);
      },
      [&] {
        view(lane, {middle, grid.width()}, middle_at, end, second);
      }};
  InParallel(tasks);
  rows.insert(rows.end(), second.begin(), second.end());
}

// Pixels of which most hold few slices or none: from slice to slice.
void ViewSparse(const Lane& lane, const PixelGrid& grid, uint64_t at, uint64_t end, RowsOf& rows) {
  uint64_t covered_ns = at < end ? lane.CoveredBefore(at) : 0;
  while (at < end) {
    const int64_t number = grid.PixelOf(lane.Ts(at));
    Pixel pixel = {grid.Edge(number), grid.Edge(number + 1), at, 0};
    pixel.end = std::min(end, lane.LowerBound(pixel.to_ns, at));
    if (pixel.end <= at) return;  // a damaged file: its slices are in no order
    const uint64_t covered_after_ns = lane.CoveredBefore(pixel.end);
    const BusyEnds ends = {at > 0, at > 0 ? lane.End(at - 1) : 0, lane.End(pixel.end - 1)};
    rows.Add(pixel, covered_after_ns - covered_ns, ends,
             [&] { return lane.Longest(pixel.begin, pixel.end); });
    covered_ns = covered_after_ns;
    at = pixel.end;
  }
}

}  // namespace

void ViewLane(const Lane& lane, const PixelGrid& grid, std::vector<ViewRow>& rows,
              uint64_t slices_for_two) {
  const int64_t long_from_ns = grid.LongFromNs();
  const uint64_t at = lane.LowerBound(grid.from_ns());
  const uint64_t end = lane.LowerBound(grid.to_ns(), at);
  if (at > 0 && lane.End(at - 1) > grid.from_ns() && lane.Dur(at - 1) >= long_from_ns) {
    rows.push_back(WholeSlice(lane, at - 1));
  }
  if (at >= end) return;
  const bool full = (end - at) / kFullPixel >= static_cast<uint64_t>(grid.width());
  if (full && end - at >= slices_for_two && grid.width() > 1) {
    return ViewHalves(lane, grid, at, end, rows);
  }
  RowsOf pixels(lane, grid, end, rows);
  pixels.Begin(at);
  if (full) {
    ViewFull(lane, grid, {0, grid.width()}, pixels);
  } else {
    ViewSparse(lane, grid, at, end, pixels);
  }
}

}  // namespace steptrace::timeline
