// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "base/unique_fd.h"
#include "import/core/bytes/byte_stream.h"

namespace steptrace::import {
namespace {

Error CannotRead(const std::string& path, int error_number) {
  std::string next = error_number == EACCES   ? "ask its owner for the right to read it"
                     : error_number == ENOENT ? "check the path"
                                              : "copy it anew";
  return Error{path + ": " + std::strerror(error_number), next};
}

class FileStream : public ByteStream {
 public:
  FileStream(std::shared_ptr<const UniqueFd> fd, std::string path, int64_t begin, int64_t end)
      : fd_(std::move(fd)), path_(std::move(path)), at_(begin), end_(end) {}

  Result<size_t> Read(char* out, size_t size) override {
    size = static_cast<size_t>(std::clamp<int64_t>(end_ - at_, 0, static_cast<int64_t>(size)));
    ssize_t got = 0;
    do {
      got = ::pread(fd_->get(), out, size, at_);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return CannotRead(path_, errno);
    at_ += got;
    return static_cast<size_t>(got);
  }
  int64_t consumed() const override { return at_; }
  std::unique_ptr<ByteStream> Range(int64_t begin, int64_t end) const override {
    return std::make_unique<FileStream>(fd_, path_, begin, std::min(end, end_));
  }
  void SkipTo(int64_t position) override { at_ = position; }

 private:
  std::shared_ptr<const UniqueFd> fd_;  // also of ranges
  std::string path_;
  int64_t at_;
  int64_t end_;
};

constexpr int64_t kStatBlockBytes = 512;  // stat(2)

// Some file systems in user space do not count what a file takes.
FileSize SizeIn(const struct stat& facts) {
  const int64_t on_disk = facts.st_blocks * kStatBlockBytes;
  return {facts.st_size, on_disk > 0 ? std::min<int64_t>(on_disk, facts.st_size) : facts.st_size};
}

}  // namespace

int64_t MostBytes(const Limits& limits, int64_t packed_bytes) {
  if (limits.max_bytes > 0) return limits.max_bytes;
  int64_t most = 0;
  if (__builtin_mul_overflow(packed_bytes, kUnpackedRatio, &most)) {
    return std::numeric_limits<int64_t>::max();
  }
  return std::max(kUnpackedFree, most);
}

std::string WhyMostBytes(const Limits& limits) {
  if (limits.max_bytes > 0) return {};
  return fmt::format(" ({} times its size on the disk, or 1 GiB)", kUnpackedRatio);
}

FileSize SizeOf(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 ? SizeIn(facts) : FileSize();
}

Status CheckSize(const std::string& path, const FileSize& size, const Limits& limits) {
  const int64_t most = MostBytes(limits, size.on_disk);
  if (size.bytes <= most) return {};
  return Error{
      fmt::format("{}: has {} bytes, more than {}{}", path, size.bytes, most, WhyMostBytes(limits)),
      "if that is meant, raise --max-bytes"};
}

StreamResult OpenRaw(const std::string& path) {
  // Nothing of a device or a pipe that somebody left in the folder: O_NONBLOCK, and files only.
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return CannotRead(path, errno);
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0) return CannotRead(path, errno);
  if (!S_ISREG(facts.st_mode)) {
    return Error{path + ": not a regular file", "give a file, a folder or an archive"};
  }
  (void)::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  // Files of the kernel's own tell no size, and may have no end.
  const int64_t end = facts.st_size > 0 ? facts.st_size : kUnpackedFree;
  return std::unique_ptr<ByteStream>(
      std::make_unique<FileStream>(std::make_shared<const UniqueFd>(std::move(fd)), path, 0, end));
}

Result<size_t> ReadFully(ByteStream& stream, char* out, size_t size) {
  size_t filled = 0;
  while (filled < size) {
    STEPTRACE_ASSIGN_OR_RETURN(size_t got, stream.Read(out + filled, size - filled));
    if (got == 0) break;
    filled += got;
  }
  return filled;
}

}  // namespace steptrace::import
