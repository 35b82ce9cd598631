// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
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
// Of a row that nobody takes a reference to, only the columns that are used are read. So who goes
// over all rows copies a column before handing it to a container, and calls what is inlined.
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

    Iterator(const PackedBlock<Row>* block, size_t place) : block_(block), place_(place) {}
    [[gnu::always_inline]] Row operator*() const { return block_->At(place_); }
    Iterator& operator++() {
      if (++place_ == kInBlock) {
        ++block_;
        place_ = 0;
      }
      return *this;
    }
    bool operator==(const Iterator& other) const {
      return block_ == other.block_ && place_ == other.place_;
    }

   private:
    const PackedBlock<Row>* block_;
    size_t place_;
  };

  PackedRows() = default;
  PackedRows(std::span<const Row> rows);  // NOLINT: rows are rows
  PackedRows(const std::vector<Row>& rows) : PackedRows(std::span<const Row>(rows)) {}  // NOLINT

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  [[gnu::always_inline]] Row operator[](size_t i) const {
    return (*blocks_)[i / kInBlock].At(i % kInBlock);
  }
  Iterator begin() const { return {blocks().data(), 0}; }
  Iterator end() const { return {blocks().data() + size_ / kInBlock, size_ % kInBlock}; }

  // Each of PackedBlock<Row>::kMostRows rows, but the last.
  std::span<const PackedBlock<Row>> blocks() const {
    return blocks_ == nullptr ? std::span<const PackedBlock<Row>>() : std::span(*blocks_);
  }

 private:
  template <class>
  friend class RowPacker;
  static constexpr size_t kInBlock = PackedBlock<Row>::kMostRows;

  std::shared_ptr<const std::vector<PackedBlock<Row>>> blocks_;
  size_t size_ = 0;
};

// Makes them of rows that come one after the other.
template <class Row>
class RowPacker {
 public:
  void Add(const Row& row) {
    pending_.push_back(row);
    if (pending_.size() < PackedBlock<Row>::kMostRows) return;
    Pack(pending_);
    pending_.clear();
  }
  // Where they lie side by side none is copied before it is packed.
  void Add(std::span<const Row> rows) {
    constexpr size_t kInBlock = PackedBlock<Row>::kMostRows;
    while (!rows.empty()) {
      const bool whole = pending_.empty() && rows.size() >= kInBlock;
      const size_t many = whole ? kInBlock : std::min(rows.size(), kInBlock - pending_.size());
      if (whole) {
        Pack(rows.first(many));
      } else {
        for (const Row& row : rows.first(many)) Add(row);
      }
      rows = rows.subspan(many);
    }
  }

  PackedRows<Row> Take() {
    if (!pending_.empty()) Pack(pending_);
    pending_.clear();
    PackedRows<Row> rows;
    rows.size_ = std::exchange(packed_, 0);
    rows.blocks_ = std::make_shared<const std::vector<PackedBlock<Row>>>(std::move(blocks_));
    blocks_ = std::vector<PackedBlock<Row>>();
    return rows;
  }

 private:
  void Pack(std::span<const Row> rows) {
    blocks_.emplace_back(rows);
    packed_ += rows.size();
  }

  std::vector<Row> pending_;
  std::vector<PackedBlock<Row>> blocks_;
  size_t packed_ = 0;
};

template <class Row>
PackedRows<Row>::PackedRows(std::span<const Row> rows) {
  RowPacker<Row> packer;
  packer.Add(rows);
  *this = packer.Take();
}

// The same rows by time; of one moment in their order.
template <class Row>
PackedRows<Row> SortedByTime(PackedRows<Row> rows) {
  int64_t before_ns = std::numeric_limits<int64_t>::min();
  const bool sorted = std::all_of(rows.begin(), rows.end(), [&before_ns](const Row& row) {
    return std::exchange(before_ns, row.ts_ns) <= row.ts_ns;
  });
  if (sorted) return rows;
  std::vector<std::pair<int64_t, uint32_t>> order;
  order.reserve(rows.size());
  for (const Row& row : rows) order.emplace_back(row.ts_ns, static_cast<uint32_t>(order.size()));
  std::sort(order.begin(), order.end());
  RowPacker<Row> packer;
  for (const auto& [ts_ns, at] : order) packer.Add(rows[at]);
  return packer.Take();
}

using PackedSteps = PackedRows<StepRow>;

}  // namespace steptrace::store
