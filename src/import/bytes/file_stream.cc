// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "base/unique_fd.h"
#include "import/bytes/byte_stream.h"

namespace steptrace::import {
namespace {

Error CannotRead(const std::string& path, int error_number) {
  std::string next = error_number == EACCES   ? "; ask its owner for the right to read it"
                     : error_number == ENOENT ? "; check the path"
                                              : "; copy it anew";
  return Error{path + ": " + std::strerror(error_number) + next};
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
    return std::make_unique<FileStream>(fd_, path_, begin, end);
  }
  void SkipTo(int64_t position) override { at_ = position; }

 private:
  std::shared_ptr<const UniqueFd> fd_;  // also of ranges
  std::string path_;
  int64_t at_;
  int64_t end_;
};

}  // namespace

StreamResult OpenRaw(const std::string& path) {
  // Nothing of a device or a pipe that somebody left in the folder: O_NONBLOCK, and files only.
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return CannotRead(path, errno);
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0) return CannotRead(path, errno);
  if (!S_ISREG(facts.st_mode)) {
    return Error{path + ": is no regular file; give a file, a folder or an archive"};
  }
  (void)::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  return std::unique_ptr<ByteStream>(
      std::make_unique<FileStream>(std::make_shared<const UniqueFd>(std::move(fd)), path, 0,
                                   std::numeric_limits<int64_t>::max()));
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
