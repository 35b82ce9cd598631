// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "import/core/rows/slice.h"

namespace steptrace::import {

// Up to so many slices, column by column: who sorts or nests them looks at two or three numbers of
// each, and a row of all of them is two lines of the cache. What few slices have stands apart.
// Memory on small pages grows with the rows: of a folder of a thousand files most hold a few.
class SliceBlock {
 public:
  static constexpr size_t kRows = 1 << 15;

  // A number for each row.
  struct Columns {
    int64_t* ts_ns = nullptr;
    int64_t* dur_ns = nullptr;
    int64_t* correlation = nullptr;
    int64_t* external_id = nullptr;
    int64_t* sequence = nullptr;
    store::StringId* name = nullptr;
    store::StringId* category = nullptr;
    store::StringId* details = nullptr;
    int32_t* track = nullptr;
    uint32_t* few = nullptr;  // its place among them, counted from 1; 0: none
  };
  static const size_t kRowBytes;

  // On a page of 2 MB, where the kernel has them, or on pages that are touched when they are used.
  enum class Pages : uint8_t { kHuge, kSmall };
  explicit SliceBlock(Pages pages);

  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool is_full() const { return size_ == kRows; }
  bool has_room() const { return size_ < capacity_; }
  // Of a block that is on small pages, or has so much: memory for so many rows at least.
  void Reserve(size_t rows);
  void Clear();

  // There is room. Whether it has what few have.
  bool Append(const Slice& slice);
  // Rows of another block, on the tracks that `tracks` has for theirs.
  void Append(const SliceBlock& other, size_t begin, size_t count, std::span<const int32_t> tracks);
  Slice At(size_t row) const;

  const Columns& columns() const { return columns_; }
  const std::vector<SliceFew>& few() const { return few_; }
  // Of a row, made if it has none.
  SliceFew& FewOf(size_t row);

  // Calls take(bytes, size) for each range of memory that holds the rows, in a fixed order, up to
  // the first error. Resize before ranges are to be filled.
  template <class F>
  Status ForEachMemoryRange(F&& take);
  void Resize(size_t rows, size_t few);

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };

  // All columns, as members of Columns, in the order in which they lie in memory.
  template <class F>
  static void ForEachColumn(F&& f);

  void Place(std::byte* memory, size_t rows);

  std::unique_ptr<std::byte[], Free> memory_;
  Columns columns_;
  std::vector<SliceFew> few_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

// Slices in the order in which they came. All blocks but the last are full.
class SliceGroup {
 public:
  explicit SliceGroup(std::vector<SliceBlock> blocks) : blocks_(std::move(blocks)) {
    if (!blocks_.empty()) size_ = (blocks_.size() - 1) * SliceBlock::kRows + blocks_.back().size();
  }

  size_t size() const { return size_; }
  const std::vector<SliceBlock>& blocks() const { return blocks_; }
  bool has_few() const {
    for (const SliceBlock& block : blocks_) {
      if (!block.few().empty()) return true;
    }
    return false;
  }
  // Of a row; nullptr: it has none.
  const SliceFew* FewAt(size_t row) const {
    const SliceBlock& block = blocks_[row / SliceBlock::kRows];
    uint32_t place = block.columns().few[row % SliceBlock::kRows];
    return place == 0 ? nullptr : &block.few()[place - 1];
  }
  SliceFew& FewOf(size_t row) {
    return blocks_[row / SliceBlock::kRows].FewOf(row % SliceBlock::kRows);
  }

 private:
  std::vector<SliceBlock> blocks_;
  size_t size_ = 0;
};

// A column of a group, by row.
template <class T>
class GroupColumn {
 public:
  GroupColumn(const SliceGroup& group, T* SliceBlock::Columns::*column) {
    for (const SliceBlock& block : group.blocks()) blocks_.push_back(block.columns().*column);
  }
  const T& operator[](size_t row) const {
    return blocks_[row / SliceBlock::kRows][row % SliceBlock::kRows];
  }

 private:
  std::vector<const T*> blocks_;
};

// A column that is the same in another block, beside what a slice and the store have of it.
template <class T>
struct PlainColumn {
  T* SliceBlock::Columns::*in_block;
  T Slice::*in_slice;
  std::vector<T> store::SliceColumns::*stored;
  bool nullable = false;
};

// Track and few are none of them: they are numbered within their block.
inline constexpr auto kPlainColumns = [] {
  using In = SliceBlock::Columns;
  using Out = store::SliceColumns;
  return std::make_tuple(
      PlainColumn<int64_t>{&In::ts_ns, &Slice::ts_ns, &Out::ts_ns},
      PlainColumn<int64_t>{&In::dur_ns, &Slice::dur_ns, &Out::dur_ns},
      PlainColumn<int64_t>{&In::correlation, &Slice::correlation, &Out::correlation, true},
      PlainColumn<int64_t>{&In::external_id, &Slice::external_id, &Out::external_id, true},
      PlainColumn<int64_t>{&In::sequence, &Slice::sequence, &Out::sequence, true},
      PlainColumn<store::StringId>{&In::name, &Slice::name, &Out::name},
      PlainColumn<store::StringId>{&In::category, &Slice::category, &Out::category},
      PlainColumn<store::StringId>{&In::details, &Slice::details, &Out::details});
}();

template <class F>
void ForEachPlainColumn(F&& f) {
  std::apply([&](const auto&... column) { (f(column), ...); }, kPlainColumns);
}

inline constexpr size_t SliceBlock::kRowBytes = std::apply(
    []<class... T>(const PlainColumn<T>&...) {
      return (sizeof(T) + ... + (sizeof(*Columns::track) + sizeof(*Columns::few)));
    },
    kPlainColumns);

template <class F>
void SliceBlock::ForEachColumn(F&& f) {
  ForEachPlainColumn([&](const auto& column) { f(column.in_block); });
  f(&Columns::track);
  f(&Columns::few);
}

template <class F>
Status SliceBlock::ForEachMemoryRange(F&& take) {
  Status taken;
  ForEachColumn([&](auto column) {
    auto* values = columns_.*column;
    if (taken.ok()) taken = take(values, size_ * sizeof(*values));
  });
  if (taken.ok()) taken = take(few_.data(), few_.size() * sizeof(SliceFew));
  return taken;
}

}  // namespace steptrace::import
