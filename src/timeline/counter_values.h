// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "timeline/format.h"
#include "timeline/page_budget.h"

namespace steptrace::timeline {

// What a bucket of a counter's values tells. Of none: count 0.
struct ValueStats {
  int64_t count = 0;
  double least = 0;
  double most = 0;
  double sum = 0;
  double last = 0;
};

// The values of a counter by time. A view on a mapped index, as Lane is.
class Values {
 public:
  Values(const std::byte* file, uint64_t size, uint64_t index_at, MappedPages* pages);

  uint64_t size() const { return size_; }
  int64_t Ts(uint64_t i) const { return TsPage(i)[i % kPageValues]; }
  double Value(uint64_t i) const;
  uint64_t LowerBound(int64_t ts_ns) const;  // size() when all are earlier
  ValueStats Stats(uint64_t begin, uint64_t end) const;

 private:
  const int64_t* TsPage(uint64_t i) const {
    const uint64_t at = pages_[i / kPageValues];
    mapped_->Touch(at >> PageBudget::kChunkLog);  // a page is no longer than that
    return reinterpret_cast<const int64_t*>(file_ + at);
  }
  void AddOne(uint64_t i, ValueStats& stats) const;

  const std::byte* file_;
  MappedPages* mapped_;
  uint64_t size_;
  const uint64_t* pages_;
  uint64_t blocks_ = 0;  // 0: too few values for any
  const int64_t* first_ts_ns_ = nullptr;
  const double* least_ = nullptr;
  const double* most_ = nullptr;
  const double* sum_ = nullptr;
};

uint64_t ValuesIndexBytes(uint64_t size);

}  // namespace steptrace::timeline
