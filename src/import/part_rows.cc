// SPDX-License-Identifier: Apache-2.0
#include "import/part_rows.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <type_traits>
#include <utility>

namespace steptrace::import {
namespace {

static_assert(std::is_trivially_copyable_v<Slice>, "rows go to the file as they are");

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
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    ssize_t wrote = ::pwrite(fd_.get(), from, bytes, size_);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return Refused(path_, errno);
    from += wrote;
    size_ += wrote;
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

void PartRows::AddBlock() {
  if (!spare_.empty()) {
    blocks_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    return;
  }
  // The last block is filled in part, and of huge pages that part costs the whole: what they may
  // waste is a third of what is there.
  constexpr size_t kFirstRows = 1 << 13;
  constexpr size_t kSmallBlocks = 8;
  constexpr size_t kHugeRows = kHugePageBytes / sizeof(Slice);
  blocks_.emplace_back();
  blocks_.back().reserve(blocks_.size() > kSmallBlocks ? kHugeRows : kFirstRows);
}

void PartRows::Clear() {
  std::vector<Block> spare = std::move(blocks_);
  for (Block& block : spare) block.clear();
  *this = PartRows();
  spare_ = std::move(spare);
}

Status PartRows::Spill(SpillFile& file) {
  if (blocks_.empty()) return {};
  file_ = &file;
  std::vector<Extent> group;
  for (const Block& block : blocks_) {
    Extent extent{0, block.size()};
    STEPTRACE_RETURN_IF_ERROR(file.Append(block.data(), block.size() * sizeof(Slice), &extent.at));
    group.push_back(extent);
  }
  groups_.push_back(std::move(group));
  blocks_.clear();
  return {};
}

Result<std::vector<PartRows::Block>> PartRows::TakeGroup() {
  if (next_group_ == groups_.size()) return std::exchange(blocks_, {});
  std::vector<Block> blocks;
  for (const Extent& extent : groups_[next_group_++]) {
    Block block(extent.rows);
    STEPTRACE_RETURN_IF_ERROR(file_->Read(extent.at, block.data(), block.size() * sizeof(Slice)));
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace steptrace::import
