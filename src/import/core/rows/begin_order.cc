// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/begin_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace steptrace::import {
namespace {

// Orders the rows of a group. A key is a number of 64 bits: the time since the group's first begin,
// below it the row. So nothing else is moved, and the rows take the place of the keys: the first
// touch of memory is what sorting costs most.
class BeginOrder {
 public:
  explicit BeginOrder(const SliceGroup& slices)
      : slices_(slices), row_bits_(Width(std::max<size_t>(slices.size(), 1) - 1)) {
    int64_t last_ns = std::numeric_limits<int64_t>::min();
    for (const SliceBlock& block : slices.blocks()) {
      for (int64_t ts_ns : BeginsOf(block)) {
        first_ns_ = std::min(first_ns_, ts_ns);
        last_ns = std::max(last_ns, ts_ns);
      }
    }
    if (slices.size() == 0) return;
    span_bits_ = Width(static_cast<uint64_t>(last_ns) - static_cast<uint64_t>(first_ns_));
  }

  HugeVector<uint64_t> Sorted() const {
    if (span_bits_ + row_bits_ > 64) return SortedByComparing();
    HugeVector<uint64_t> keys = Keys();
    if (!std::is_sorted(keys.begin(), keys.end())) Sort(keys);
    const GroupColumn dur_ns(slices_, &SliceBlock::Columns::dur_ns);
    const uint64_t mask = (uint64_t{1} << row_bits_) - 1;
    for (size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
      const uint64_t after = keys[begin] >> row_bits_;
      while (end < keys.size() && keys[end] >> row_bits_ == after) keys[end++] &= mask;
      if (end - begin == 1) continue;
      std::stable_sort(keys.begin() + static_cast<ptrdiff_t>(begin),
                       keys.begin() + static_cast<ptrdiff_t>(end),
                       [&](uint64_t a, uint64_t b) { return dur_ns[a] > dur_ns[b]; });
    }
    return keys;
  }

 private:
  static int Width(uint64_t number) { return static_cast<int>(std::bit_width(number)); }
  static std::span<const int64_t> BeginsOf(const SliceBlock& block) {
    return {block.columns().ts_ns, block.size()};
  }

  HugeVector<uint64_t> Keys() const {
    HugeVector<uint64_t> keys(slices_.size());
    uint64_t row = 0;
    for (const SliceBlock& block : slices_.blocks()) {
      for (int64_t ts_ns : BeginsOf(block)) {
        uint64_t after = static_cast<uint64_t>(ts_ns) - static_cast<uint64_t>(first_ns_);
        keys[row] = after << row_bits_ | row;
        ++row;
      }
    }
    return keys;
  }

  // 11 bits a round, as many rounds as the span has bits.
  void Sort(HugeVector<uint64_t>& keys) const {
    constexpr int kBits = 11;
    constexpr uint64_t kMask = (1 << kBits) - 1;
    HugeVector<uint64_t> other(keys.size());
    for (int shift = row_bits_; shift < row_bits_ + span_bits_; shift += kBits) {
      std::array<size_t, kMask + 1> begins{};
      for (uint64_t key : keys) ++begins[key >> shift & kMask];
      size_t next = 0;
      for (size_t& begin : begins) next += std::exchange(begin, next);
      for (uint64_t key : keys) other[begins[key >> shift & kMask]++] = key;
      keys.swap(other);
    }
  }

  // Of spans of hours, which leave no room for a row in the key.
  HugeVector<uint64_t> SortedByComparing() const {
    const GroupColumn ts_ns(slices_, &SliceBlock::Columns::ts_ns);
    const GroupColumn dur_ns(slices_, &SliceBlock::Columns::dur_ns);
    HugeVector<uint64_t> rows(slices_.size());
    std::iota(rows.begin(), rows.end(), 0);
    std::stable_sort(rows.begin(), rows.end(), [&](uint64_t a, uint64_t b) {
      return ts_ns[a] != ts_ns[b] ? ts_ns[a] < ts_ns[b] : dur_ns[a] > dur_ns[b];
    });
    return rows;
  }

  const SliceGroup& slices_;
  const int row_bits_;
  int64_t first_ns_ = std::numeric_limits<int64_t>::max();
  int span_bits_ = 0;
};

}  // namespace

HugeVector<uint64_t> OrderByBegin(const SliceGroup& slices) {
  return BeginOrder(slices).Sorted();
}

}  // namespace steptrace::import
