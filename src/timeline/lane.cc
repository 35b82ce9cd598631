// SPDX-License-Identifier: Apache-2.0
#include "timeline/lane.h"

#include <limits>

namespace steptrace::timeline {
namespace {

// The first of n sorted values that is not below the one sought. Without a branch to mispredict.
uint64_t FirstNotBelow(const int64_t* values, uint64_t n, int64_t sought) {
  const int64_t* base = values;
  while (n > 1) {
    const uint64_t half = n / 2;
    base += base[half - 1] < sought ? half : 0;
    n -= half;
  }
  return static_cast<uint64_t>(base - values) + (n == 1 && *base < sought ? 1 : 0);
}

// All lines at once: a search would wait for one after the other.
void Prefetch(const int64_t* values, uint64_t n) {
  for (uint64_t i = 0; i < n; i += 8) __builtin_prefetch(values + i);
}

// Four maxima that do not wait for one another, then the place of theirs.
uint64_t FirstOfMost(const int64_t* values, uint64_t n) {
  int64_t most[4] = {values[0], values[0], values[0], values[0]};
  uint64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (uint64_t k = 0; k < 4; ++k) most[k] = std::max(most[k], values[i + k]);
  }
  for (; i < n; ++i) most[0] = std::max(most[0], values[i]);
  const int64_t longest = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
  for (i = 0; values[i] != longest;) ++i;
  return i;
}

uint64_t LevelBytes(uint64_t blocks, bool first) {
  return blocks * sizeof(int64_t) * (first ? 3 : 2) + Padded(blocks);
}

}  // namespace

uint64_t LaneIndexBytes(uint64_t size) {
  uint64_t bytes = (size + kPageSlices - 1) / kPageSlices * sizeof(uint64_t);
  for (uint64_t parts = size, level = 1; parts > kFanout; parts = BlocksOf(parts), ++level) {
    bytes += LevelBytes(BlocksOf(parts), level == 1);
  }
  return bytes;
}

Lane::Lane(const std::byte* file, uint64_t size, uint64_t index_at)
    : file_(file), size_(size), pages_(reinterpret_cast<const uint64_t*>(file + index_at)) {
  const uint64_t pages = (size + kPageSlices - 1) / kPageSlices;
  const std::byte* at = file + index_at + pages * sizeof(uint64_t);
  for (uint64_t parts = size; parts > kFanout && levels_ < kMaxLevels; ++levels_) {
    Level& level = level_[levels_];
    level.blocks = BlocksOf(parts);
    level.first_ts_ns = reinterpret_cast<const int64_t*>(at);
    level.longest_ns = level.first_ts_ns + level.blocks;
    at += 2 * level.blocks * sizeof(int64_t);
    if (levels_ == 0) {
      level.covered_ns = reinterpret_cast<const uint64_t*>(at);
      at += level.blocks * sizeof(uint64_t);
    }
    level.longest_at = reinterpret_cast<const uint8_t*>(at);
    at += Padded(level.blocks);
    parts = level.blocks;
  }
}

int64_t Lane::End(uint64_t i) const {
  const int64_t ts_ns = Ts(i);
  return ts_ns + UsableDuration(ts_ns, Dur(i));
}

uint64_t Lane::SearchLevels(int64_t ts_ns) const {
  uint64_t begin = 0;  // parts of the level at hand that may hold the answer
  uint64_t count = levels_ == 0 ? size_ : level_[levels_ - 1].blocks;
  for (size_t k = levels_; k > 0; --k) {
    const uint64_t found = FirstNotBelow(level_[k - 1].first_ts_ns + begin, count, ts_ns);
    if (found == 0) return begin == 0 ? 0 : begin << (6 * k);
    // In the block before, or at its end.
    const uint64_t block = begin + found - 1;
    const uint64_t below = k == 1 ? size_ : level_[k - 2].blocks;
    begin = block * kFanout;
    count = std::min(kFanout, below - begin);
    // The block's begins, and its durations, which whoever searches adds up next.
    if (k == 1) Prefetch(BlockOf(begin).ts_ns, 2 * count);
    if (k == 2) Prefetch(level_[0].first_ts_ns + begin, count);
  }
  return count == 0 ? begin
                    : begin + FirstNotBelow(BlockOf(begin).ts_ns + begin % kFanout, count, ts_ns);
}

uint64_t Lane::LowerBound(int64_t ts_ns, uint64_t from) const {
  if (from >= size_) return size_;
  // Answers of a view lie close together: first the rest of the block at hand.
  const uint64_t block_end = std::min(size_, (from / kFanout + 1) * kFanout);
  const int64_t* here = BlockOf(from).ts_ns + from % kFanout;
  const uint64_t left = block_end - from;
  if (here[left - 1] >= ts_ns) return from + FirstNotBelow(here, left, ts_ns);
  return std::max(block_end, SearchLevels(ts_ns));
}

void Lane::Improve(Best& best, size_t level, uint64_t begin, uint64_t end) const {
  if (begin >= end) return;
  const int64_t* values =
      level == 0 ? BlockOf(begin).dur_ns + begin % kFanout : level_[level - 1].longest_ns + begin;
  const uint64_t at = FirstOfMost(values, end - begin);
  const uint64_t block = begin + at;
  const bool earlier = block << (6 * level) < best.block << (6 * best.level);
  if (values[at] > best.longest_ns || (values[at] == best.longest_ns && earlier)) {
    best = {values[at], level, block};
  }
}

uint64_t Lane::Descend(const Best& best) const {
  uint64_t block = best.block;
  for (size_t level = best.level; level > 0; --level) {
    block = block * kFanout + level_[level - 1].longest_at[block] % kFanout;
    const uint64_t below = level == 1 ? size_ : level_[level - 2].blocks;
    block = std::min(block, below - 1);
  }
  return block;
}

uint64_t Lane::Longest(uint64_t begin, uint64_t end) const {
  Best best;
  for (size_t level = 0;; ++level) {
    const uint64_t first_whole = BlocksOf(begin);
    const uint64_t end_whole = end / kFanout;
    if (level == levels_ || first_whole >= end_whole) {
      // At most two blocks' parts, or the top level. A block lies in one page, two may not.
      const uint64_t middle = std::min(end, first_whole * kFanout);
      if (level > 0) {
        Improve(best, level, begin, end);
      } else {
        Improve(best, level, begin, middle);
        Improve(best, level, middle, end);
      }
      return Descend(best);
    }
    Improve(best, level, begin, first_whole * kFanout);
    Improve(best, level, end_whole * kFanout, end);
    begin = first_whole;
    end = end_whole;
  }
}

uint64_t Lane::NextFrom(uint64_t begin, uint64_t end, int64_t least_ns) const {
  size_t level = 0;
  uint64_t at = begin;  // a part of that level; all before it are too short
  while (true) {
    if (at << (6 * level) >= end) return end;
    if (level < levels_ && at % kFanout == 0) {
      // Blocks at once, as far up as they begin here.
      at /= kFanout;
      ++level;
      continue;
    }
    const uint64_t parts = level == 0 ? size_ : level_[level - 1].blocks;
    if (at >= parts) return end;
    const uint64_t stop = std::min(parts, (at / kFanout + 1) * kFanout);
    const int64_t* values =
        level == 0 ? BlockOf(at).dur_ns + at % kFanout - at : level_[level - 1].longest_ns;
    while (at < stop && values[at] < least_ns) ++at;
    if (at == stop) continue;
    // One that is long enough: down to it.
    for (; level > 0; --level) {
      at *= kFanout;
      const uint64_t below = level == 1 ? size_ : level_[level - 2].blocks;
      const uint64_t last = std::min(below, at + kFanout);
      const int64_t* children =
          level == 1 ? BlockOf(at).dur_ns + at % kFanout - at : level_[level - 2].longest_ns;
      while (at < last && children[at] < least_ns) ++at;
      if (at == last) break;  // the file contradicts itself: go on behind the block
    }
    if (level == 0) return at < end ? at : end;
    --level;
  }
}

uint64_t Lane::CoveredBefore(uint64_t i) const {
  uint64_t block = i / kFanout;
  if (i > 0 && block * kFanout == size_) --block;  // behind the last whole block
  uint64_t sum = levels_ == 0 ? 0 : level_[0].covered_ns[block];
  if (levels_ == 0) block = 0;
  const uint64_t begin = block * kFanout;
  if (begin >= i) return sum;
  const int64_t* durations = BlockOf(begin).dur_ns + begin % kFanout;
  for (uint64_t k = 0; k < i - begin; ++k) sum += static_cast<uint64_t>(durations[k]);
  return sum;
}

}  // namespace steptrace::timeline
