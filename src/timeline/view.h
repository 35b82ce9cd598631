// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "timeline/index.h"
#include "timeline/pixel_grid.h"

// What is asked of an index: views, searches, sums (docs/reference/http.md says what each means).
namespace steptrace::timeline {

// What is drawn: a slice of a pixel's length or more by itself, or what is shorter, gathered by the
// pixel in which it begins.
struct ViewRow {
  int64_t ts_ns = 0;
  int64_t dur_ns = 0;
  int64_t count = 1;
  int64_t busy_ns = 0;
  uint64_t at = 0;  // the slice, or the longest of those gathered; in its lane
};

// From so many slices on their memory is far away, and two threads wait for it together: less than
// that costs less than a thread.
inline constexpr uint64_t kSlicesForTwo = uint64_t{1} << 22;

// Appends the rows of one lane. Costs O(pixels or slices of the time range, whichever are fewer),
// each O(log slices).
void ViewLane(const Lane& lane, const PixelGrid& grid, std::vector<ViewRow>& rows,
              uint64_t slices_for_two = kSlicesForTwo);

struct ViewRange {
  int64_t from_ns = 0;
  int64_t to_ns = 0;  // not before from_ns
};

// The sums of one label over a time range. Durations are cut at the time range.
struct LabelSums {
  int64_t count = 0;
  uint64_t total_ns = 0;
  uint64_t self_ns = 0;  // less what the slices directly within cover
  int64_t least_ns = 0;
  int64_t most_ns = 0;
};

// Adds the slices that a time range touches on one track (its place) to `sums`, one entry a label.
void AddSums(const Index& index, uint32_t track, ViewRange time_range,
             std::vector<LabelSums>& sums);

struct SearchResult {
  uint64_t total = 0;
  std::vector<SliceId> matches;  // the first by time, at most `limit`
};

// The slices on those tracks (their places) that a time range touches and whose name holds `part`
// (of a name of over kMaxSearchBytes: their begin); case does not matter for ASCII.
SearchResult Search(const Index& index, std::span<const uint32_t> tracks, ViewRange time_range,
                    std::string_view part, size_t limit);

// The innermost slice that encloses one.
std::optional<SlicePlace> ParentOf(const Index& index, const SlicePlace& place);
// Its duration less what the slices directly within it cover.
int64_t SelfNs(const Index& index, const SlicePlace& place);
// Number of slices that enclose it.
int32_t DepthOf(const Index& index, const SlicePlace& place);

}  // namespace steptrace::timeline
