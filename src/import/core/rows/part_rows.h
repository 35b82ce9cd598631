// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "import/core/rows/slice.h"
#include "import/core/rows/slice_block.h"
#include "import/core/rows/spill_file.h"

namespace steptrace::import {

// An end of a flow that waits for its slice.
struct Flow {
  int64_t ts_ns = 0;
  int64_t id = 0;
  int32_t track = 0;
  bool out = false;
};

// The slices of a part in the order in which they came: groups of rows on the file, then what is in
// memory. In blocks: growing copies nothing.
class PartRows {
 public:
  // Whether it has what few have.
  bool Append(const Slice& slice) {
    ++size_;
    return Room().Append(slice);
  }
  // As many rows of another block as the last block has room for; how many they were.
  size_t Append(const SliceBlock& block, size_t begin, size_t most,
                std::span<const int32_t> tracks);
  int64_t size() const { return size_; }
  // Whether all rows are in memory: TakeGroup gives one group.
  bool is_whole() const { return groups_.empty(); }
  // Those in memory.
  const std::vector<SliceBlock>& blocks() const { return blocks_; }
  // Forgets the rows; their memory is for those that follow.
  void Clear();

  // Moves the rows in memory to the file, as a group.
  Status Spill(SpillFile& file);
  // Of one that is not whole: those after the last group, too.
  Status SpillRest() { return Spill(*file_); }
  // That of the groups; nullptr: there are none.
  SpillFile* file() const { return file_; }

  // Gives up the groups one by one, each whole in memory; empty: there are no more.
  Result<SliceGroup> TakeGroup();
  // Those on the file may be taken again.
  void Rewind() { next_group_ = 0; }

  // Calls take(block, number of its first row) for all rows in the order in which they came, up to
  // the first error. They stay: may be called again.
  template <class F>
  Status ForEachBlock(F&& take);
  // The same, where take may change durations, and says whether it did.
  template <class F>
  Status ChangeDurations(F&& take);

 private:
  // A block on the file.
  struct Extent {
    int64_t at;
    size_t rows;
    size_t few;
  };

  // The last block, with room for a row.
  SliceBlock& Room() {
    if (blocks_.empty() || !blocks_.back().has_room()) MakeRoom(1);
    return blocks_.back();
  }
  // For so many rows, or as many as the block may have.
  void MakeRoom(size_t rows);
  void AddBlock();
  Status Read(const Extent& extent, SliceBlock& block) const;
  Status WriteDurations(const Extent& extent, const SliceBlock& block);

  std::vector<SliceBlock> blocks_;
  std::vector<SliceBlock> spare_;
  std::vector<std::vector<Extent>> groups_;  // on the file
  size_t next_group_ = 0;
  SpillFile* file_ = nullptr;
  int64_t size_ = 0;
};

template <class F>
Status PartRows::ForEachBlock(F&& take) {
  size_t first = 0;
  if (is_whole()) {
    for (const SliceBlock& block : blocks_) {
      STEPTRACE_RETURN_IF_ERROR(take(block, first));
      first += block.size();
    }
    return {};
  }
  STEPTRACE_RETURN_IF_ERROR(SpillRest());
  Rewind();
  while (true) {
    STEPTRACE_ASSIGN_OR_RETURN(const SliceGroup group, TakeGroup());
    if (group.size() == 0) break;
    for (const SliceBlock& block : group.blocks()) {
      STEPTRACE_RETURN_IF_ERROR(take(block, first));
      first += block.size();
    }
  }
  Rewind();
  return {};
}

template <class F>
Status PartRows::ChangeDurations(F&& take) {
  size_t first = 0;
  for (const std::vector<Extent>& group : groups_) {
    for (const Extent& extent : group) {
      SliceBlock block(SliceBlock::Pages::kSmall);
      STEPTRACE_RETURN_IF_ERROR(Read(extent, block));
      if (take(block, first)) STEPTRACE_RETURN_IF_ERROR(WriteDurations(extent, block));
      first += block.size();
    }
  }
  for (SliceBlock& block : blocks_) {
    take(block, first);
    first += block.size();
  }
  return {};
}

}  // namespace steptrace::import
