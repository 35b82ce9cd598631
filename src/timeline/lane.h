// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "timeline/format.h"
#include "timeline/slice.h"

namespace steptrace::timeline {

// A level of a lane's pyramid, in the mapping.
struct Level {
  uint64_t blocks = 0;
  const int64_t* first_ts_ns = nullptr;
  const int64_t* longest_ns = nullptr;
  const uint64_t* covered_ns = nullptr;  // level 1 alone
  const uint8_t* longest_at = nullptr;
};

// The slices of a lane, by begin, disjoint. A view on a mapped index: cheap to copy, valid as long
// as the index. Whatever the file holds, no call leaves the file's bounds.
class Lane {
 public:
  Lane(const std::byte* file, uint64_t size, uint64_t index_at);

  uint64_t size() const { return size_; }
  int64_t Ts(uint64_t i) const { return BlockOf(i).ts_ns[i % kFanout]; }
  int64_t Dur(uint64_t i) const { return BlockOf(i).dur_ns[i % kFanout]; }
  uint32_t Label(uint64_t i) const { return BlockOf(i).label[i % kFanout]; }
  int64_t End(uint64_t i) const;
  Slice At(uint64_t i) const { return {Ts(i), Dur(i), Label(i)}; }

  // The first slice from `from` on that begins at `ts_ns` or later; size() when there is none.
  uint64_t LowerBound(int64_t ts_ns, uint64_t from = 0) const;
  // The longest slice of [begin, end), of equals the first. Needs begin < end.
  uint64_t Longest(uint64_t begin, uint64_t end) const;
  // The first slice of [begin, end) with at least that duration; `end` when there is none.
  uint64_t NextFrom(uint64_t begin, uint64_t end, int64_t least_ns) const;
  // Sum of the durations of slices [0, i). Modulo 2^64, so differences are exact.
  uint64_t CoveredBefore(uint64_t i) const;

 private:
  struct Block {  // 64 slices, fewer at the end
    const int64_t* ts_ns;
    const int64_t* dur_ns;
    const uint32_t* label;
  };
  struct Best {
    int64_t longest_ns = -1;
    size_t level = 0;
    uint64_t block = 0;
  };

  Block BlockOf(uint64_t i) const {
    const uint64_t block = i / kFanout;
    const uint64_t n = std::min(kFanout, size_ - block * kFanout);
    const std::byte* at = file_ + pages_[i / kPageSlices] + block % kFanout * kBlockBytes;
    const auto* ts_ns = reinterpret_cast<const int64_t*>(at);
    return {ts_ns, ts_ns + n, reinterpret_cast<const uint32_t*>(ts_ns + 2 * n)};
  }
  uint64_t SearchLevels(int64_t ts_ns) const;
  void Improve(Best& best, size_t level, uint64_t begin, uint64_t end) const;
  uint64_t Descend(const Best& best) const;

  const std::byte* file_;
  uint64_t size_;
  const uint64_t* pages_;
  size_t levels_ = 0;                    // above the slices
  std::array<Level, kMaxLevels> level_;  // [0] is level 1
};

// Bytes of a lane index, and whether a lane of `size` has that level.
uint64_t LaneIndexBytes(uint64_t size);

}  // namespace steptrace::timeline
