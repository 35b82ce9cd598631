// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "timeline/index_writer.h"
#include "timeline/timeline_slice.h"

namespace steptrace::timeline {

// A value of a counter's track.
struct CounterValue {
  int64_t ts_ns;
  double value;
  friend bool Precedes(const CounterValue& a, const CounterValue& b) { return a.ts_ns < b.ts_ns; }
};

inline void AddTo(IndexWriter::Track& track, const LaneSlice& slice) {
  track.Add(slice);
}
inline void AddTo(IndexWriter::Track& track, const CounterValue& value) {
  track.AddValue(value.ts_ns, value.value);
}

// The rows of a track that wait to be written: they come in any order, mostly in theirs, and leave
// in it. Of rows that are alike the one that came first leaves first.
template <class Row>
class WaitingRows {
 public:
  void Add(const Row& row) {
    if (!rows_.empty() && Precedes(row, rows_.back())) sorted_ = false;
    rows_.push_back(row);
  }
  size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }

  const std::vector<Row>& Sorted() {
    if (!sorted_) {
      std::stable_sort(rows_.begin(), rows_.end(),
                       [](const Row& a, const Row& b) { return Precedes(a, b); });
    }
    sorted_ = true;
    return rows_;
  }

  // Lets go of those that begin before that moment, each handed on first; gives their number.
  template <class Take>
  size_t TakeBefore(int64_t ts_ns, Take take) {
    Sorted();
    const auto end = std::lower_bound(rows_.begin(), rows_.end(), ts_ns,
                                      [](const Row& row, int64_t ns) { return row.ts_ns < ns; });
    std::for_each(rows_.begin(), end, take);
    const auto taken = static_cast<size_t>(end - rows_.begin());
    rows_.erase(rows_.begin(), end);
    return taken;
  }

  // With their memory.
  void Clear() {
    std::vector<Row>().swap(rows_);
    sorted_ = true;
  }

 private:
  std::vector<Row> rows_;
  bool sorted_ = true;
};

}  // namespace steptrace::timeline
