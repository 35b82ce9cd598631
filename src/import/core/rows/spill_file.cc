// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/spill_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace steptrace::import {
namespace {

Error Refused(const std::filesystem::path& path, int error_number) {
  return Error{path.parent_path().string() + ": " + std::strerror(error_number),
               "make room there, or give another place with -o"};
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

}  // namespace steptrace::import
