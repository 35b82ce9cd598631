// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "timeline/format.h"
#include "timeline/page_budget.h"
#include "timeline/timeline_slice.h"

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
// as the index, of one thread. Whatever the file holds, no call leaves the file's bounds.
class Lane {
 public:
  Lane(const std::byte* file, uint64_t size, uint64_t index_at, MappedPages* pages);

  uint64_t size() const { return size_; }
  int64_t Ts(uint64_t i) const { return BlockOf(i / kFanout).Ts(i % kFanout); }
  int64_t Dur(uint64_t i) const { return BlockOf(i / kFanout).Dur(i % kFanout); }
  uint32_t Label(uint64_t i) const { return BlockOf(i / kFanout).Label(i % kFanout); }
  int64_t End(uint64_t i) const;
  LaneSlice At(uint64_t i) const {
    const Block block = BlockOf(i / kFanout);
    return {block.Ts(i % kFanout), block.Dur(i % kFanout), block.Label(i % kFanout)};
  }

  // The first slice from `from` on that begins at `ts_ns` or later; size() when there is none.
  uint64_t LowerBound(int64_t ts_ns, uint64_t from = 0) const;
  // The longest slice of [begin, end), of equals the first. Needs begin < end.
  uint64_t Longest(uint64_t begin, uint64_t end) const;
  // The first slice of [begin, end) with at least that duration; `end` when there is none.
  uint64_t NextFrom(uint64_t begin, uint64_t end, int64_t least_ns) const;
  // Sum of the durations of slices [0, i). Modulo 2^64, so differences are exact.
  uint64_t CoveredBefore(uint64_t i) const;

  // All that a view asks about a moment, found in the one block in which it lies.
  struct Cut {
    uint64_t at = 0;          // the first slice that begins there or later; size(): none
    uint64_t block = 0;       // of 64 slices; `at` lies in it or is its end
    uint64_t covered_ns = 0;  // CoveredBefore(at)
    int64_t reaches_ns = 0;   // End(at - 1), where at > 0
    uint64_t before = 0;      // the longest of the block's slices before `at`, …
    int64_t before_ns = -1;   // … its duration; -1: there is none
    uint64_t after = 0;       // the same from `at` on
    int64_t after_ns = -1;
  };
  // Cuts at n moments in ascending order. What several of them wait for is fetched together: one
  // after the other each would wait for memory four times.
  void CutAt(const int64_t* ts_ns, size_t n, Cut* cuts) const;
  // The longest slice between two cuts, of equals the first. Needs from.at < to.at.
  uint64_t Longest(const Cut& from, const Cut& to) const;

 private:
  // 64 slices, fewer at the end.
  struct Block {
    int64_t first_ns;
    const std::byte* begin;
    const std::byte* dur_ns;
    const std::byte* label;
    unsigned begin_log;
    unsigned dur_log;
    unsigned label_log;
    uint64_t size;

    // With the numbers of an array as they are stored.
    template <class F>
    static auto With(const std::byte* array, unsigned log, F f) {
      if (log == 1) return f(reinterpret_cast<const uint16_t*>(array));
      if (log == 2) return f(reinterpret_cast<const uint32_t*>(array));
      return f(reinterpret_cast<const uint64_t*>(array));
    }
    static uint64_t Number(const std::byte* array, unsigned log, uint64_t i) {
      return With(array, log, [i](const auto* numbers) { return uint64_t{numbers[i]}; });
    }
    int64_t Ts(uint64_t i) const {
      return static_cast<int64_t>(static_cast<uint64_t>(first_ns) + Number(begin, begin_log, i));
    }
    int64_t Dur(uint64_t i) const { return static_cast<int64_t>(Number(dur_ns, dur_log, i)); }
    uint32_t Label(uint64_t i) const { return static_cast<uint32_t>(Number(label, label_log, i)); }
    // The first from `from` on that begins at `ts_ns` or later; size: none.
    uint64_t LowerBound(int64_t ts_ns, uint64_t from) const;
    // The first of the longest of [from, to), which is not empty.
    uint64_t Longest(uint64_t from, uint64_t to) const;
    uint64_t SumOf(uint64_t from, uint64_t to) const;
    void Prefetch() const;
  };
  struct Best {
    int64_t longest_ns = -1;
    size_t level = 0;
    uint64_t block = 0;
  };

  Block BlockOf(uint64_t block) const {
    const PackedPlace place = PackedPlace::Of(places_[block]);
    const uint64_t chunk = place.at >> PageBudget::kChunkLog;
    if (chunk != time_range_) pages_->Touch(time_range_ = chunk);
    const uint64_t n = std::min(kFanout, size_ - block * kFanout);
    const std::byte* at = file_ + place.at;
    const std::byte* begin = at + sizeof(int64_t);
    const std::byte* dur_ns = begin + Padded(n << place.begin_log);
    return {*reinterpret_cast<const int64_t*>(at),
            begin,
            dur_ns,
            dur_ns + Padded(n << place.dur_log),
            place.begin_log,
            place.dur_log,
            place.label_log,
            n};
  }
  // Of level `to` (0: slices), the range of 64 parts in which a moment lies.
  struct Parts {
    uint64_t begin;
    uint64_t count;
  };
  Parts SearchDown(int64_t ts_ns, Parts parts, size_t from, size_t to) const;
  Parts Top() const { return {0, levels_ == 0 ? size_ : level_[levels_ - 1].blocks}; }
  // The first part of [begin, end), all of one block, that is as long as that; `end`: none.
  uint64_t FirstFrom(size_t level, uint64_t begin, uint64_t end, int64_t least_ns) const;
  Cut CutIn(uint64_t block, int64_t ts_ns) const;
  void BringIn(const PackedPlace& place) const;
  Best LongestOfBlocks(Best best, size_t level, uint64_t begin, uint64_t end) const;
  void Improve(Best& best, size_t level, uint64_t begin, uint64_t end) const;
  uint64_t Descend(const Best& best) const;

  const std::byte* file_;
  MappedPages* pages_;
  mutable uint64_t time_range_ = ~uint64_t{0};  // of the block that was read last
  uint64_t size_;
  const uint64_t* places_;               // of the blocks
  size_t levels_ = 0;                    // above the slices
  std::array<Level, kMaxLevels> level_;  // [0] is level 1
};

// Bytes of a lane index, and whether a lane of `size` has that level.
uint64_t LaneIndexBytes(uint64_t size);

}  // namespace steptrace::timeline
