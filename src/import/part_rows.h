// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
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
// memory. Blocks of fixed size: growing copies nothing.
class PartRows {
 public:
  static constexpr size_t kBlockRows = 1 << 13;
  using Block = std::vector<Slice>;

  void Append(const Slice& slice) {
    if (blocks_.empty() || blocks_.back().size() >= kBlockRows) {
      blocks_.emplace_back();
      blocks_.back().reserve(kBlockRows);
    }
    blocks_.back().push_back(slice);
    ++size_;
  }
  // Rows in a block of their own.
  void Append(Block&& block) {
    size_ += static_cast<int64_t>(block.size());
    blocks_.push_back(std::move(block));
  }
  int64_t size() const { return size_; }
  void Clear() { *this = PartRows(); }

  // Moves the rows in memory to the file, as a group.
  Status Spill(SpillFile& file);

  // Gives up the groups one by one, each whole in memory; empty: there are no more.
  Result<std::vector<Block>> TakeGroup();

 private:
  struct Extent {
    int64_t at;
    size_t rows;
  };

  std::vector<Block> blocks_;
  std::vector<std::vector<Extent>> groups_;  // on the file, an extent a block
  size_t next_group_ = 0;
  SpillFile* file_ = nullptr;
  int64_t size_ = 0;
};

}  // namespace steptrace::import
