// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "timeline/timeline_slice.h"

namespace steptrace::timeline {

// Gives each slice of a track a lane in which nothing overlaps it: the first free one below all
// open slices that enclose it. Where slices nest, that is the depth of nesting; where they overlap
// without nesting (kernels on one stream) it is the first lane that is free.
// Slices come in the order of Precedes. A slice costs O(log lanes).
class LaneAssigner {
 public:
  int32_t Assign(const LaneSlice& slice);
  int32_t lanes() const { return lanes_; }

 private:
  struct Ends {
    int64_t least;
    int64_t most;
  };
  void Grow();
  void Set(size_t lane, int64_t end_ns);
  int32_t LastEndingFrom(int64_t end_ns) const;                  // -1: none
  size_t FirstEndingBy(int64_t end_ns, size_t from_lane) const;  // capacity_: none

  // A complete binary tree over the ends of the lanes' last slices; leaves from `capacity_` on.
  std::vector<Ends> tree_;
  size_t capacity_ = 0;
  int32_t lanes_ = 0;
};

}  // namespace steptrace::timeline
