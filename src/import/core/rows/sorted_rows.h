// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "import/core/rows/spill_file.h"

namespace steptrace::import {

struct ByTime {
  template <class Row>
  bool operator()(const Row& a, const Row& b) const {
    return a.ts_ns < b.ts_ns;
  }
};

// Rows that are read in order once all are there; those alike stay as they came. Beyond what memory
// is for they wait on a file: groups, each sorted, which are merged when they are read.
template <class Row, class Before = ByTime>
class SortedRows {
  static_assert(std::is_trivially_copyable_v<Row>, "rows go to the file as they are");

 public:
  class Reader;

  void Append(const Row& row) { rows_.push_back(row); }
  size_t size() const { return spilled_ + rows_.size(); }
  // Whether all are in memory.
  bool is_whole() const { return groups_.empty(); }
  const std::vector<Row>& in_memory() const { return rows_; }

  // Moves the rows in memory to the file, as a group. Those that follow use their memory.
  Status Spill(SpillFile& file) {
    if (rows_.empty()) return {};
    Sort(rows_);
    file_ = &file;
    Group group{0, rows_.size()};
    STEPTRACE_RETURN_IF_ERROR(file.Append(rows_.data(), rows_.size() * sizeof(Row), &group.at));
    groups_.push_back(group);
    spilled_ += rows_.size();
    rows_.clear();
    return {};
  }
  // No rows follow: gives up memory that is not filled.
  void Trim() {
    if (rows_.capacity() / 2 >= rows_.size()) rows_.shrink_to_fit();
  }

 private:
  // On the file.
  struct Group {
    int64_t at;
    size_t rows;
  };

  static void Sort(std::vector<Row>& rows) {
    // Most files are in order, and sorting takes memory.
    if (std::is_sorted(rows.begin(), rows.end(), Before())) return;
    std::stable_sort(rows.begin(), rows.end(), Before());
  }

  std::vector<Row> rows_;
  std::vector<Group> groups_;
  size_t spilled_ = 0;
  const SpillFile* file_ = nullptr;
};

// Takes the rows in their order, once. Memory holds those that were there, and a range of each
// group.
template <class Row, class Before>
class SortedRows<Row, Before>::Reader {
 public:
  explicit Reader(SortedRows& rows) : file_(rows.file_) {
    groups_ = std::exchange(rows.groups_, {});
    rows.spilled_ = 0;
    Sort(rows.rows_);
    // As the last group, which is in memory.
    sources_.resize(groups_.size() + 1);
    sources_.back().rows = std::exchange(rows.rows_, {});
    sources_.back().next = sources_.back().rows.data();
    at_once_ = std::clamp(kMergedBytes / sizeof(Row) / sources_.size(), kLeastRows, kMostRows);
    for (size_t source = 0; source < sources_.size(); ++source) {
      if (Fill(source)) heap_.push_back(source);
    }
    std::make_heap(heap_.begin(), heap_.end(), Later{this});
    Choose();
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // nullptr: at the end, or the file cannot be read: see status.
  const Row* Front() const { return front_; }
  void Pop() {
    ++front_;
    if (front_ != end_ && (other_ == nullptr || !OtherIsFirst())) return;
    sources_[source_].next = front_;
    if (Fill(source_)) {
      heap_.push_back(source_);
      std::push_heap(heap_.begin(), heap_.end(), Later{this});
    }
    Choose();
  }
  const Status& status() const { return status_; }

 private:
  static constexpr size_t kMergedBytes = 6 << 20;  // of all groups together
  static constexpr size_t kMostRows = 1 << 14;  // of a group at a time: reads that are long enough
  static constexpr size_t kLeastRows = 1 << 8;  // however many groups there are

  // What is in memory of a group.
  struct Source {
    const Row* End() const { return rows.data() + rows.size(); }

    std::vector<Row> rows;
    const Row* next = nullptr;
    size_t read = 0;  // of those on the file
  };

  // The top of the heap comes first: of two alike that of the earlier group.
  struct Later {
    bool operator()(size_t a, size_t b) const {
      const Row& x = *reader->sources_[a].next;
      const Row& y = *reader->sources_[b].next;
      if (Before()(x, y)) return false;
      return Before()(y, x) || a > b;
    }
    const Reader* reader;
  };

  // Whether the source has a next row.
  bool Fill(size_t number) {
    Source& source = sources_[number];
    if (source.next != source.End()) return true;
    if (number == groups_.size() || source.read == groups_[number].rows) {
      source = {};
      return false;
    }
    const Group& group = groups_[number];
    source.rows.resize(std::min(at_once_, group.rows - source.read));
    Status read = file_->Read(group.at + static_cast<int64_t>(source.read * sizeof(Row)),
                              source.rows.data(), source.rows.size() * sizeof(Row));
    if (!read.ok()) {
      if (status_.ok()) status_ = read;
      source = {};
      return false;
    }
    source.read += source.rows.size();
    source.next = source.rows.data();
    return true;
  }

  // Goes on in the source that comes first, until that of the heap does.
  void Choose() {
    front_ = end_ = other_ = nullptr;
    if (heap_.empty() || !status_.ok()) return;
    std::pop_heap(heap_.begin(), heap_.end(), Later{this});
    source_ = heap_.back();
    heap_.pop_back();
    front_ = sources_[source_].next;
    end_ = sources_[source_].End();
    if (heap_.empty()) return;
    other_ = sources_[heap_.front()].next;
    other_is_earlier_ = heap_.front() < source_;
  }

  bool OtherIsFirst() const {
    if (Before()(*other_, *front_)) return true;
    return other_is_earlier_ && !Before()(*front_, *other_);
  }

  const SpillFile* file_;
  std::vector<Group> groups_;
  std::vector<Source> sources_;  // of the groups, then what was in memory
  std::vector<size_t> heap_;     // of sources, but that of front_
  size_t at_once_ = 0;
  size_t source_ = 0;
  const Row* front_ = nullptr;
  const Row* end_ = nullptr;    // of what is in memory of its source
  const Row* other_ = nullptr;  // what comes first of the others
  bool other_is_earlier_ = false;
  Status status_;
};

}  // namespace steptrace::import
