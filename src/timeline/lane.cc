// SPDX-License-Identifier: Apache-2.0
#include "timeline/lane.h"

#include <limits>

namespace steptrace::timeline {
namespace {

// The first of n sorted values that is not below the one sought. Without a branch to mispredict.
template <class T, class U>
uint64_t FirstNotBelow(const T* values, uint64_t n, U sought) {
  if (n == 0) return 0;
  const T* base = values;
  while (n > 1) {
    const uint64_t half = n / 2;
    base += base[half - 1] < sought ? half : 0;
    n -= half;
  }
  return static_cast<uint64_t>(base - values) + (*base < sought ? 1 : 0);
}

// All lines at once: a search would wait for one after the other.
template <class T>
void PrefetchAll(const T* values, uint64_t n) {
  const auto* at = reinterpret_cast<const std::byte*>(values);
  for (uint64_t i = 0; i < n * sizeof(T); i += 64) __builtin_prefetch(at + i);
}

// Four maxima that do not wait for one another, then the place of theirs.
template <class T>
uint64_t FirstOfMost(const T* values, uint64_t n) {
  T most[4] = {values[0], values[0], values[0], values[0]};
  uint64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (uint64_t k = 0; k < 4; ++k) most[k] = std::max(most[k], values[i + k]);
  }
  for (; i < n; ++i) most[0] = std::max(most[0], values[i]);
  const T longest = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
  for (i = 0; values[i] != longest;) ++i;
  return i;
}

uint64_t LevelBytes(uint64_t blocks, bool first) {
  return blocks * sizeof(int64_t) * (first ? 3 : 2) + Padded(blocks);
}

}  // namespace

uint64_t LaneIndexBytes(uint64_t size) {
  uint64_t bytes = BlocksOf(size) * sizeof(uint64_t);
  for (uint64_t parts = size, level = 1; parts > kFanout; parts = BlocksOf(parts), ++level) {
    bytes += LevelBytes(BlocksOf(parts), level == 1);
  }
  return bytes;
}

Lane::Lane(const std::byte* file, uint64_t size, uint64_t index_at, MappedPages* pages)
    : file_(file),
      pages_(pages),
      size_(size),
      places_(reinterpret_cast<const uint64_t*>(file + index_at)) {
  const std::byte* at = file + index_at + BlocksOf(size) * sizeof(uint64_t);
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

uint64_t Lane::Block::LowerBound(int64_t ts_ns, uint64_t from) const {
  if (ts_ns <= first_ns) return from;
  const uint64_t sought = static_cast<uint64_t>(ts_ns) - static_cast<uint64_t>(first_ns);
  return With(begin, begin_log, [&](const auto* begins) {
    return from + FirstNotBelow(begins + from, size - from, sought);
  });
}

uint64_t Lane::Block::Longest(uint64_t from, uint64_t to) const {
  return With(dur_ns, dur_log, [&](const auto* durations) {
    return from + FirstOfMost(durations + from, to - from);
  });
}

uint64_t Lane::Block::SumOf(uint64_t from, uint64_t to) const {
  return With(dur_ns, dur_log, [&](const auto* durations) {
    uint64_t sum = 0;
    for (uint64_t i = from; i < to; ++i) sum += durations[i];
    return sum;
  });
}

void Lane::Block::Prefetch() const {
  PrefetchAll(begin - sizeof(int64_t), static_cast<uint64_t>(label - begin) + sizeof(int64_t));
}

Lane::Parts Lane::SearchDown(int64_t ts_ns, Parts parts, size_t from, size_t to) const {
  for (size_t k = from; k > to; --k) {
    const uint64_t found =
        FirstNotBelow(level_[k - 1].first_ts_ns + parts.begin, parts.count, ts_ns);
    // In the block before, or at its end; where there is none, at the begin of the first.
    const uint64_t block = parts.begin + (found == 0 ? 0 : found - 1);
    const uint64_t below = k == 1 ? size_ : level_[k - 2].blocks;
    parts.begin = block * kFanout;
    parts.count = std::min(kFanout, below - parts.begin);
  }
  return parts;
}

uint64_t Lane::LowerBound(int64_t ts_ns, uint64_t from) const {
  if (from >= size_) return size_;
  // Answers of a view lie close together: first the rest of the block at hand.
  const Block here = BlockOf(from / kFanout);
  const uint64_t block_begin = from / kFanout * kFanout;
  if (here.Ts(here.size - 1) >= ts_ns) {
    return block_begin + here.LowerBound(ts_ns, from - block_begin);
  }
  Parts parts = SearchDown(ts_ns, Top(), levels_, std::min<size_t>(1, levels_));
  if (levels_ > 0) {
    PrefetchAll(level_[0].first_ts_ns + parts.begin, parts.count);
    parts = SearchDown(ts_ns, parts, 1, 0);
  }
  const Block block = BlockOf(parts.begin / kFanout);
  block.Prefetch();
  return std::max(block_begin + here.size, parts.begin + block.LowerBound(ts_ns, 0));
}

Lane::Cut Lane::CutIn(uint64_t number, int64_t ts_ns) const {
  const Block block = BlockOf(number);
  const uint64_t begin = number * kFanout;
  const uint64_t split = block.LowerBound(ts_ns, 0);
  Cut cut;
  cut.at = begin + split;
  cut.block = number;
  cut.covered_ns = (levels_ == 0 ? 0 : level_[0].covered_ns[number]) + block.SumOf(0, split);
  if (split > 0) {
    const uint64_t longest = block.Longest(0, split);
    cut.before = begin + longest;
    cut.before_ns = block.Dur(longest);
    const int64_t last_ns = block.Ts(split - 1);
    cut.reaches_ns = last_ns + UsableDuration(last_ns, block.Dur(split - 1));
  } else if (begin > 0) {  // a file that contradicts itself
    cut.reaches_ns = End(begin - 1);
  }
  if (split < block.size) {
    const uint64_t longest = block.Longest(split, block.size);
    cut.after = begin + longest;
    cut.after_ns = block.Dur(longest);
  }
  return cut;
}

// What lies on a page that is not mapped cannot be prefetched.
void Lane::BringIn(const PackedPlace& place) const {
  const uint64_t chunk = place.at >> PageBudget::kChunkLog;
  if (chunk == time_range_ || !pages_->Touch(chunk)) return;
  static_cast<void>(*const_cast<const volatile std::byte*>(file_ + place.at));
}

void Lane::CutAt(const int64_t* ts_ns, size_t n, Cut* cuts) const {
  constexpr size_t kTogether = 16;  // some 20 lines of cache each: half of a first level's
  Parts parts[kTogether];
  for (size_t done = 0; done < n; done += kTogether) {
    const size_t many = std::min(kTogether, n - done);
    const int64_t* sought = ts_ns + done;
    for (size_t i = 0; i < many; ++i) {
      parts[i] = SearchDown(sought[i], Top(), levels_, std::min<size_t>(1, levels_));
      if (levels_ > 0) PrefetchAll(level_[0].first_ts_ns + parts[i].begin, parts[i].count);
    }
    if (levels_ > 0) {
      for (size_t i = 0; i < many; ++i) {
        const Parts group = parts[i];
        parts[i] = SearchDown(sought[i], group, 1, 0);
        const uint64_t block = parts[i].begin / kFanout;
        __builtin_prefetch(places_ + block);
        __builtin_prefetch(level_[0].covered_ns + block);
        PrefetchAll(level_[0].longest_ns + group.begin, group.count);
      }
    }
    for (size_t i = 0; i < many; ++i) {
      // Its address alone: what lies there is not waited for.
      const uint64_t block = parts[i].begin / kFanout;
      const PackedPlace place = PackedPlace::Of(places_[block]);
      BringIn(place);
      PrefetchAll(file_ + place.at, sizeof(int64_t) + (parts[i].count << place.begin_log) +
                                        (parts[i].count << place.dur_log));
    }
    for (size_t i = 0; i < many; ++i) {
      cuts[done + i] = CutIn(parts[i].begin / kFanout, sought[i]);
    }
  }
}

uint64_t Lane::Longest(const Cut& from, const Cut& to) const {
  if (from.block >= to.block || to.at <= to.block * kFanout) return Longest(from.at, to.at);
  // What is left of the first block, the blocks between, what there is of the last.
  Best best;
  if (from.after_ns >= 0) best = {from.after_ns, 0, from.after};
  best = LongestOfBlocks(best, 1, from.block + 1, to.block);
  if (to.before_ns > best.longest_ns) best = {to.before_ns, 0, to.before};
  const uint64_t at = Descend(best);
  return at < to.at ? at : from.at;  // or else the file contradicts itself
}

void Lane::Improve(Best& best, size_t level, uint64_t begin, uint64_t end) const {
  if (begin >= end) return;
  Best found;
  found.level = level;
  if (level == 0) {
    const Block block = BlockOf(begin / kFanout);
    const uint64_t base = begin / kFanout * kFanout;
    const uint64_t at = block.Longest(begin - base, end - base);
    found.longest_ns = block.Dur(at);
    found.block = base + at;
  } else {
    const int64_t* values = level_[level - 1].longest_ns + begin;
    const uint64_t at = FirstOfMost(values, end - begin);
    found.longest_ns = values[at];
    found.block = begin + at;
  }
  const bool earlier = found.block << (6 * level) < best.block << (6 * best.level);
  if (found.longest_ns > best.longest_ns || (found.longest_ns == best.longest_ns && earlier)) {
    best = found;
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

Lane::Best Lane::LongestOfBlocks(Best best, size_t level, uint64_t begin, uint64_t end) const {
  for (;; ++level) {
    const uint64_t first_whole = BlocksOf(begin);
    const uint64_t end_whole = end / kFanout;
    if (level == levels_ || first_whole >= end_whole) {
      // At most two blocks' parts, or the top level. A block lies in one place, two may not.
      const uint64_t middle = std::min(end, first_whole * kFanout);
      if (level > 0) {
        Improve(best, level, begin, end);
      } else {
        Improve(best, level, begin, middle);
        Improve(best, level, middle, end);
      }
      return best;
    }
    Improve(best, level, begin, first_whole * kFanout);
    Improve(best, level, end_whole * kFanout, end);
    begin = first_whole;
    end = end_whole;
  }
}

uint64_t Lane::Longest(uint64_t begin, uint64_t end) const {
  return Descend(LongestOfBlocks({}, 0, begin, end));
}

uint64_t Lane::FirstFrom(size_t level, uint64_t begin, uint64_t end, int64_t least_ns) const {
  if (level > 0) {
    const int64_t* values = level_[level - 1].longest_ns;
    while (begin < end && values[begin] < least_ns) ++begin;
    return begin;
  }
  const Block block = BlockOf(begin / kFanout);
  const uint64_t base = begin / kFanout * kFanout;
  while (begin < end && block.Dur(begin - base) < least_ns) ++begin;
  return begin;
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
    at = FirstFrom(level, at, stop, least_ns);
    if (at == stop) continue;
    // One that is long enough: down to it.
    for (; level > 0; --level) {
      at *= kFanout;
      const uint64_t below = level == 1 ? size_ : level_[level - 2].blocks;
      const uint64_t last = std::min(below, at + kFanout);
      at = FirstFrom(level - 1, at, last, least_ns);
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
  return begin >= i ? sum : sum + BlockOf(block).SumOf(0, i - begin);
}

}  // namespace steptrace::timeline
