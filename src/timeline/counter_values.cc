// SPDX-License-Identifier: Apache-2.0
#include "timeline/counter_values.h"

namespace steptrace::timeline {

uint64_t ValuesIndexBytes(uint64_t size) {
  const uint64_t pages = (size + kPageValues - 1) / kPageValues;
  return 8 * pages + (size > kFanout ? 4 * 8 * BlocksOf(size) : 0);
}

Values::Values(const std::byte* file, uint64_t size, uint64_t index_at, MappedPages* pages)
    : file_(file),
      mapped_(pages),
      size_(size),
      pages_(reinterpret_cast<const uint64_t*>(file + index_at)) {
  if (size <= kFanout) return;
  blocks_ = BlocksOf(size);
  first_ts_ns_ = reinterpret_cast<const int64_t*>(pages_ + (size + kPageValues - 1) / kPageValues);
  least_ = reinterpret_cast<const double*>(first_ts_ns_ + blocks_);
  most_ = least_ + blocks_;
  sum_ = most_ + blocks_;
}

double Values::Value(uint64_t i) const {
  const uint64_t n = std::min(kPageValues, size_ - i / kPageValues * kPageValues);
  return reinterpret_cast<const double*>(TsPage(i) + n)[i % kPageValues];
}

uint64_t Values::LowerBound(int64_t ts_ns) const {
  uint64_t begin = 0;
  uint64_t end = size_;
  if (blocks_ > 0) {
    const auto block = static_cast<uint64_t>(
        std::lower_bound(first_ts_ns_, first_ts_ns_ + blocks_, ts_ns) - first_ts_ns_);
    begin = block == 0 ? 0 : (block - 1) * kFanout;
    end = std::min(size_, block * kFanout);
  }
  while (begin < end && Ts(begin) < ts_ns) ++begin;
  return begin;
}

void Values::AddOne(uint64_t i, ValueStats& stats) const {
  const double value = Value(i);
  stats.least = stats.count == 0 ? value : std::min(stats.least, value);
  stats.most = stats.count == 0 ? value : std::max(stats.most, value);
  stats.sum += value;
  ++stats.count;
}

ValueStats Values::Stats(uint64_t begin, uint64_t end) const {
  ValueStats stats;
  if (begin >= end) return stats;
  for (uint64_t i = begin; i < end;) {
    if (blocks_ == 0 || i % kFanout != 0 || i + kFanout > end) {
      AddOne(i++, stats);
      continue;
    }
    const uint64_t block = i / kFanout;
    stats.least = stats.count == 0 ? least_[block] : std::min(stats.least, least_[block]);
    stats.most = stats.count == 0 ? most_[block] : std::max(stats.most, most_[block]);
    stats.sum += sum_[block];
    stats.count += static_cast<int64_t>(kFanout);
    i += kFanout;
  }
  stats.last = Value(end - 1);
  return stats;
}

}  // namespace steptrace::timeline
