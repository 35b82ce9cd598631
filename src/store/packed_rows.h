// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "store/packed_block.h"
#include "store/tables.h"

// Rows of a table of numbers in a fraction of their size, for tables of which millions are held:
// most columns of a row are 0 or near those of the rows beside it.
namespace steptrace::store {

// Rows that do not change, by number; each is made when it is asked for. Copies share them.
template <class Row>
class PackedRows {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;  // it has no row to refer to
    using value_type = Row;
    using difference_type = ptrdiff_t;
    using pointer = void;
    using reference = Row;

    Iterator(const PackedRows* rows, size_t at) : rows_(rows), at_(at) {}
    [[gnu::always_inline]] Row operator*() const { return (*rows_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const PackedRows* rows_;
    size_t at_;
  };

  PackedRows() = default;
  PackedRows(std::span<const Row> rows);  // NOLINT: rows are rows
  PackedRows(const std::vector<Row>& rows) : PackedRows(std::span<const Row>(rows)) {}  // NOLINT

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  [[gnu::always_inline]] Row operator[](size_t i) const {
    return (*blocks_)[i / PackedBlock<Row>::kMostRows].At(i % PackedBlock<Row>::kMostRows);
  }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size_}; }

 private:
  template <class>
  friend class RowPacker;

  std::shared_ptr<const std::vector<PackedBlock<Row>>> blocks_;
  size_t size_ = 0;
};

// Makes them of rows that come one after the other.
template <class Row>
class RowPacker {
 public:
  void Add(const Row& row) {
    pending_.push_back(row);
    if (pending_.size() == PackedBlock<Row>::kMostRows) Pack();
  }

  PackedRows<Row> Take() {
    if (!pending_.empty()) Pack();
    PackedRows<Row> rows;
    rows.size_ = std::exchange(packed_, 0);
    rows.blocks_ = std::make_shared<const std::vector<PackedBlock<Row>>>(std::move(blocks_));
    blocks_ = std::vector<PackedBlock<Row>>();
    return rows;
  }

 private:
  void Pack() {
    blocks_.emplace_back(pending_);
    packed_ += pending_.size();
    pending_.clear();
  }

  std::vector<Row> pending_;
  std::vector<PackedBlock<Row>> blocks_;
  size_t packed_ = 0;
};

template <class Row>
PackedRows<Row>::PackedRows(std::span<const Row> rows) {
  RowPacker<Row> packer;
  for (const Row& row : rows) packer.Add(row);
  *this = packer.Take();
}

// The same rows by time; of one moment in their order.
template <class Row>
PackedRows<Row> SortedByTime(PackedRows<Row> rows) {
  std::vector<std::pair<int64_t, uint32_t>> order;
  order.reserve(rows.size());
  for (const Row& row : rows) order.emplace_back(row.ts_ns, static_cast<uint32_t>(order.size()));
  if (std::is_sorted(order.begin(), order.end())) return rows;
  std::sort(order.begin(), order.end());
  RowPacker<Row> packer;
  for (const auto& [ts_ns, at] : order) packer.Add(rows[at]);
  return packer.Take();
}

using PackedSteps = PackedRows<StepRow>;

}  // namespace steptrace::store
