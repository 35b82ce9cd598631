// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "import/huge_pages.h"
#include "import/part_sink.h"

namespace steptrace::import {

// Where rows wait that memory has no room for. Made at first use; nobody else reads it.
class SpillFile {
 public:
  explicit SpillFile(std::filesystem::path path) : path_(std::move(path)) {}
  ~SpillFile() { Remove(); }
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  Status Append(const void* data, size_t bytes, int64_t* at);
  Status Read(int64_t at, void* data, size_t bytes) const;
  void Remove();

 private:
  std::filesystem::path path_;
  UniqueFd fd_;
  int64_t size_ = 0;
};

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
  using Block = std::vector<Slice, HugePages<Slice>>;

  void Append(const Slice& slice) {
    if (blocks_.empty() || blocks_.back().size() == blocks_.back().capacity()) AddBlock();
    blocks_.back().push_back(slice);
    ++size_;
  }
  int64_t size() const { return size_; }
  // Whether all rows are in memory: TakeGroup gives one group.
  bool is_whole() const { return groups_.empty(); }
  // Those in memory.
  const std::vector<Block>& blocks() const { return blocks_; }
  // Forgets the rows; their memory is for those that follow.
  void Clear();

  // Moves the rows in memory to the file, as a group.
  Status Spill(SpillFile& file);

  // Gives up the groups one by one, each whole in memory; empty: there are no more.
  Result<std::vector<Block>> TakeGroup();

 private:
  struct Extent {
    int64_t at;
    size_t rows;
  };

  void AddBlock();

  std::vector<Block> blocks_;
  std::vector<Block> spare_;
  std::vector<std::vector<Extent>> groups_;  // on the file, an extent a block
  size_t next_group_ = 0;
  SpillFile* file_ = nullptr;
  int64_t size_ = 0;
};

}  // namespace steptrace::import
