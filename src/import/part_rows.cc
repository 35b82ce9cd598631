// SPDX-License-Identifier: Apache-2.0
#include "import/part_rows.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace steptrace::import {
namespace {

Error Refused(const std::filesystem::path& path, int error_number) {
  return Error{path.parent_path().string() + ": " + std::strerror(error_number) +
               "; make room there, or give another place with -o"};
}

}  // namespace

Status SpillFile::Append(const void* data, size_t bytes, int64_t* at) {
  if (!fd_.valid()) {
    fd_ = UniqueFd(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd_.valid()) return Refused(path_, errno);
  }
  *at = size_;
  STEPTRACE_RETURN_IF_ERROR(Write(size_, data, bytes));
  size_ += static_cast<int64_t>(bytes);
  return {};
}

Status SpillFile::Write(int64_t at, const void* data, size_t bytes) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    ssize_t wrote = ::pwrite(fd_.get(), from, bytes, at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return Refused(path_, errno);
    from += wrote;
    at += wrote;
    bytes -= static_cast<size_t>(wrote);
  }
  return {};
}

Status SpillFile::Read(int64_t at, void* data, size_t bytes) const {
  char* to = static_cast<char*>(data);
  while (bytes > 0) {
    ssize_t got = ::pread(fd_.get(), to, bytes, at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Refused(path_, got < 0 ? errno : EIO);
    to += got;
    at += got;
    bytes -= static_cast<size_t>(got);
  }
  return {};
}

void SpillFile::Remove() {
  if (!fd_.valid()) return;
  fd_.reset();
  ::unlink(path_.c_str());
}

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
    STEPTRACE_RETURN_IF_ERROR(block.ForEachStretch([&](const void* data, size_t bytes) {
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

Result<SliceGroup> PartRows::TakeGroup() {
  if (next_group_ == groups_.size()) return SliceGroup(std::exchange(blocks_, {}));
  std::vector<SliceBlock> blocks;
  for (const Extent& extent : groups_[next_group_++]) {
    SliceBlock& block = blocks.emplace_back(SliceBlock::Pages::kSmall);
    block.Resize(extent.rows, extent.few);
    int64_t at = extent.at;
    STEPTRACE_RETURN_IF_ERROR(block.ForEachStretch([&](void* data, size_t bytes) {
      Status read = file_->Read(at, data, bytes);
      at += static_cast<int64_t>(bytes);
      return read;
    }));
  }
  return SliceGroup(std::move(blocks));
}

}  // namespace steptrace::import
