// SPDX-License-Identifier: Apache-2.0
#include "import/core/sources/member_spool.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/unnamed_file.h"

namespace steptrace::import {
namespace {

constexpr size_t kSpoolBlockBytes = 256 << 10;

Status WriteAt(int fd, const char* data, size_t bytes, int64_t at) {
  while (bytes > 0) {
    const ssize_t wrote = ::pwrite(fd, data, bytes, at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return Error{std::strerror(errno)};
    data += wrote;
    at += wrote;
    bytes -= static_cast<size_t>(wrote);
  }
  return {};
}

class SpooledMember : public ByteStream {
 public:
  SpooledMember(std::shared_ptr<const UniqueFd> fd, int64_t at, int64_t bytes, std::string damage,
                Status failed)
      : fd_(std::move(fd)),
        at_(at),
        bytes_(bytes),
        damage_(std::move(damage)),
        failed_(std::move(failed)) {}

  Result<size_t> Read(char* out, size_t size) override {
    size = static_cast<size_t>(std::min<int64_t>(static_cast<int64_t>(size), bytes_ - consumed_));
    if (size == 0) return failed_.ok() ? Result<size_t>(size_t{0}) : failed_.error();
    ssize_t got = 0;
    do {
      got = ::pread(fd_->get(), out, size, at_ + consumed_);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) return Error{std::string("the temporary file: ") + std::strerror(errno)};
    consumed_ += got;
    return static_cast<size_t>(got);
  }
  int64_t consumed() const override { return consumed_; }
  std::string damage() const override { return consumed_ == bytes_ ? damage_ : std::string(); }
  bool is_packed() const override { return true; }

 private:
  std::shared_ptr<const UniqueFd> fd_;
  int64_t at_;
  int64_t bytes_;
  std::string damage_;
  Status failed_;
  int64_t consumed_ = 0;
};

}  // namespace

Result<MemberSpool> MemberSpool::Make() {
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  STEPTRACE_ASSIGN_OR_RETURN(UniqueFd fd,
                             UnnamedFile(error ? std::filesystem::path("/tmp") : folder));
  return MemberSpool(std::move(fd));
}

Status MemberSpool::Add(int64_t member, ByteStream& stream) {
  Extent& extent = members_[member];
  extent.at = size_;
  std::vector<char> block(kSpoolBlockBytes);
  while (true) {
    const auto got = stream.Read(block.data(), block.size());
    if (!got.ok()) extent.failed = got.error();
    if (!got.ok() || *got == 0) break;
    STEPTRACE_RETURN_IF_ERROR(WriteAt(fd_->get(), block.data(), *got, size_));
    size_ += static_cast<int64_t>(*got);
  }
  extent.bytes = size_ - extent.at;
  extent.damage = stream.damage();
  return {};
}

StreamResult MemberSpool::Open(int64_t member, const std::string& name) const {
  const auto found = members_.find(member);
  if (found == members_.end()) {
    return Error{name + ": lies behind a damaged part of the archive", "create the archive again"};
  }
  const Extent& extent = found->second;
  return std::unique_ptr<ByteStream>(
      std::make_unique<SpooledMember>(fd_, extent.at, extent.bytes, extent.damage, extent.failed));
}

}  // namespace steptrace::import
