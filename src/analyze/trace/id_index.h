// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/large_memory.h"

namespace steptrace::analyze {

// The event of each id (correlation, external id, flow). Profilers count their ids up, so a table
// by number serves nearly always; ids that lie far apart are sorted and searched. Neither has a
// worst case that a hostile file could ask for.
class IdIndex {
 public:
  static constexpr int32_t kNone = -1;

  // Of events with one id the first by time is kept, of equal times the first that was added. The
  // id kNone is none. Find only after Finish.
  void Add(int64_t id, int64_t ts_ns, int32_t event) {
    if (id != kNone) entries_.push_back({id, ts_ns, event});
  }
  void Reserve(size_t count) { ReserveLarge(entries_, count); }

  void Finish() {
    if (entries_.empty()) return;
    const auto [low, high] = std::minmax_element(
        entries_.begin(), entries_.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    base_ = low->id;
    const uint64_t range = static_cast<uint64_t>(high->id) - static_cast<uint64_t>(base_);
    if (range < kSparse * entries_.size() + 1024) {
      FillTable(static_cast<size_t>(range) + 1);
    } else {
      Sort();
    }
  }

  int32_t Find(int64_t id) const {
    if (id == kNone) return kNone;
    if (!table_.empty()) {
      const uint64_t at = static_cast<uint64_t>(id) - static_cast<uint64_t>(base_);
      return at < table_.size() ? table_[static_cast<size_t>(at)] : kNone;
    }
    auto found = std::lower_bound(entries_.begin(), entries_.end(), id,
                                  [](const Entry& entry, int64_t of) { return entry.id < of; });
    return found == entries_.end() || found->id != id ? kNone : found->event;
  }

 private:
  static constexpr uint64_t kSparse = 8;  // places in the table an id: 32 bytes, as an entry takes
  struct Entry {
    int64_t id;
    int64_t ts_ns;
    int32_t event;
  };

  void FillTable(size_t places) {
    table_ = LargeVector<int32_t>(places, kNone);
    auto best_ns = LargeVector<int64_t>(places);
    for (const Entry& entry : entries_) {
      const auto at = static_cast<size_t>(entry.id - base_);
      if (table_[at] != kNone && entry.ts_ns >= best_ns[at]) continue;
      table_[at] = entry.event;
      best_ns[at] = entry.ts_ns;
    }
    entries_ = std::vector<Entry>();  // {} would keep its memory
  }
  void Sort() {
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.id, a.ts_ns) < std::pair(b.id, b.ts_ns);
    });
    auto last = std::unique(entries_.begin(), entries_.end(),
                            [](const Entry& a, const Entry& b) { return a.id == b.id; });
    entries_.erase(last, entries_.end());
  }

  std::vector<Entry> entries_;
  std::vector<int32_t> table_;  // by id - base_; empty: entries_ are sorted
  int64_t base_ = 0;
};

}  // namespace steptrace::analyze
