// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/part_rows.h"

#include <algorithm>
#include <utility>

namespace steptrace::import {

void PartRows::MakeRoom(size_t rows) {
  // Of a part with more blocks than one the others are not worth the copies.
  constexpr size_t kFirstRows = SliceBlock::kRows / 64;
  constexpr size_t kGrowth = 4;
  if (blocks_.empty() || blocks_.back().is_full()) AddBlock();
  SliceBlock& block = blocks_.back();
  size_t wanted = blocks_.size() == 1 ? kFirstRows : SliceBlock::kRows;
  while (wanted < SliceBlock::kRows && wanted < block.size() + rows) wanted *= kGrowth;
  block.Reserve(std::min(wanted, SliceBlock::kRows));
}

void PartRows::AddBlock() {
  if (!spare_.empty()) {
    blocks_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    return;
  }
  // The last block is filled in part, and of a huge page that part costs the whole: what it may
  // waste is a third of what is there.
  constexpr size_t kSmallBlocks = 3;
  bool huge = blocks_.size() >= kSmallBlocks;
  blocks_.emplace_back(huge ? SliceBlock::Pages::kHuge : SliceBlock::Pages::kSmall);
}

size_t PartRows::Append(const SliceBlock& block, size_t begin, size_t most,
                        std::span<const int32_t> tracks) {
  size_t wanted = std::min(most, block.size() - begin);
  MakeRoom(wanted);
  SliceBlock& room = blocks_.back();
  size_t count = std::min(wanted, SliceBlock::kRows - room.size());
  room.Append(block, begin, count, tracks);
  size_ += static_cast<int64_t>(count);
  return count;
}

void PartRows::Clear() {
  std::vector<SliceBlock> spare = std::move(blocks_);
  for (SliceBlock& block : spare) block.Clear();
  *this = PartRows();
  spare_ = std::move(spare);
}

Status PartRows::Spill(SpillFile& file) {
  if (blocks_.empty()) return {};
  file_ = &file;
  std::vector<Extent> group;
  for (SliceBlock& block : blocks_) {
    Extent extent{-1, block.size(), block.few().size()};
    STEPTRACE_RETURN_IF_ERROR(block.ForEachMemoryRange([&](const void* data, size_t bytes) {
      int64_t at = 0;
      Status written = file.Append(data, bytes, &at);
      if (extent.at < 0) extent.at = at;
      return written;
    }));
    group.push_back(extent);
  }
  groups_.push_back(std::move(group));
  blocks_.clear();
  return {};
}

Status PartRows::Read(const Extent& extent, SliceBlock& block) const {
  block.Resize(extent.rows, extent.few);
  int64_t at = extent.at;
  return block.ForEachMemoryRange([&](void* data, size_t bytes) {
    Status read = file_->Read(at, data, bytes);
    at += static_cast<int64_t>(bytes);
    return read;
  });
}

Status PartRows::WriteDurations(const Extent& extent, const SliceBlock& block) {
  const size_t bytes = extent.rows * sizeof(int64_t);
  // Behind the begins, as ForEachMemoryRange has them.
  return file_->Write(extent.at + static_cast<int64_t>(bytes), block.columns().dur_ns, bytes);
}

Result<SliceGroup> PartRows::TakeGroup() {
  if (next_group_ == groups_.size()) return SliceGroup(std::exchange(blocks_, {}));
  std::vector<SliceBlock> blocks;
  for (const Extent& extent : groups_[next_group_++]) {
    SliceBlock& block = blocks.emplace_back(SliceBlock::Pages::kSmall);
    STEPTRACE_RETURN_IF_ERROR(Read(extent, block));
  }
  return SliceGroup(std::move(blocks));
}

}  // namespace steptrace::import
