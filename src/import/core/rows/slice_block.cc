// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/slice_block.h"

#include <cstring>
#include <new>
#include <type_traits>

#include "import/core/rows/huge_pages.h"

namespace steptrace::import {
namespace {

static_assert(SliceBlock::kRows * SliceBlock::kRowBytes <= kHugePageBytes - kArrayOverheadBytes);
static_assert(std::is_trivially_copyable_v<SliceFew>, "rows go to the file as they are");

template <class T>
void Copy(T* to, const T* from, size_t count) {
  std::memcpy(to, from, count * sizeof(T));
}

}  // namespace

SliceBlock::SliceBlock(Pages pages) {
  if (pages == Pages::kSmall) return;
  Place(static_cast<std::byte*>(AllocateHuge(kRows * kRowBytes)), kRows);
}

// Takes memory for so many rows, and moves those there are into it.
void SliceBlock::Place(std::byte* memory, size_t rows) {
  std::byte* next = memory;
  ForEachColumn([&](auto column) {
    auto*& values = columns_.*column;
    using Values = std::remove_reference_t<decltype(values)>;
    auto moved = reinterpret_cast<Values>(next);
    if (size_ > 0) Copy(moved, values, size_);
    values = moved;
    next += rows * sizeof(*values);
  });
  memory_.reset(memory);
  capacity_ = rows;
}

void SliceBlock::Reserve(size_t rows) {
  if (rows <= capacity_) return;
  void* memory = std::malloc(rows * kRowBytes);
  if (memory == nullptr) throw std::bad_alloc();
  Place(static_cast<std::byte*>(memory), rows);
}

void SliceBlock::Clear() {
  size_ = 0;
  few_.clear();
}

void SliceBlock::Resize(size_t rows, size_t few) {
  Reserve(rows);
  size_ = rows;
  few_.resize(few);
}

bool SliceBlock::Append(const Slice& slice) {
  size_t row = size_++;
  ForEachPlainColumn(
      [&](const auto& column) { (columns_.*column.in_block)[row] = slice.*column.in_slice; });
  columns_.track[row] = slice.track;
  columns_.few[row] = 0;
  const SliceFew& few = slice;
  if (few == SliceFew()) return false;
  few_.push_back(few);
  columns_.few[row] = static_cast<uint32_t>(few_.size());
  return true;
}

void SliceBlock::Append(const SliceBlock& other, size_t begin, size_t count,
                        std::span<const int32_t> tracks) {
  ForEachPlainColumn([&](const auto& column) {
    Copy(columns_.*column.in_block + size_, other.columns_.*column.in_block + begin, count);
  });
  for (size_t i = 0; i < count; ++i) {
    columns_.track[size_ + i] = tracks[static_cast<size_t>(other.columns_.track[begin + i])];
  }
  for (size_t i = 0; i < count; ++i) {
    uint32_t place = other.columns_.few[begin + i];
    if (place > 0) {
      few_.push_back(other.few_[place - 1]);
      place = static_cast<uint32_t>(few_.size());
    }
    columns_.few[size_ + i] = place;
  }
  size_ += count;
}

Slice SliceBlock::At(size_t row) const {
  Slice slice;
  ForEachPlainColumn(
      [&](const auto& column) { slice.*column.in_slice = (columns_.*column.in_block)[row]; });
  slice.track = columns_.track[row];
  if (const uint32_t place = columns_.few[row]; place > 0) {
    static_cast<SliceFew&>(slice) = few_[place - 1];
  }
  return slice;
}

SliceFew& SliceBlock::FewOf(size_t row) {
  uint32_t& place = columns_.few[row];
  if (place == 0) {
    few_.emplace_back();
    place = static_cast<uint32_t>(few_.size());
  }
  return few_[place - 1];
}

}  // namespace steptrace::import
