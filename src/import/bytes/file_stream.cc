// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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
  FileStream(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Result<size_t> Read(char* out, size_t size) override {
    ssize_t got = 0;
    do {
      got = ::read(fd_.get(), out, size);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return CannotRead(path_, errno);
    consumed_ += got;
    return static_cast<size_t>(got);
  }
  int64_t consumed() const override { return consumed_; }

 private:
  UniqueFd fd_;
  std::string path_;
  int64_t consumed_ = 0;
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
  return std::unique_ptr<ByteStream>(std::make_unique<FileStream>(std::move(fd), path));
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
