// SPDX-License-Identifier: Apache-2.0
#include "timeline/file_out.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace steptrace::timeline {

void FileOut::Append(const void* data, size_t size) {
  if (size == 0) return;
  if (buffer_.size() + size > kBytes) Flush();
  if (size > kBytes) {
    Write(flushed_, data, size);
    flushed_ += size;
    return;
  }
  const char* bytes = static_cast<const char*>(data);
  buffer_.insert(buffer_.end(), bytes, bytes + size);
}

void FileOut::Pad() {
  static constexpr char kZeros[8] = {};
  Append(kZeros, (8 - at() % 8) % 8);
}

void FileOut::Flush() {
  Write(flushed_, buffer_.data(), buffer_.size());
  flushed_ += buffer_.size();
  buffer_.clear();
}

void FileOut::Overwrite(uint64_t at, const void* data, size_t size) {
  Write(at, data, size);
}

void FileOut::Write(uint64_t at, const void* data, size_t size) {
  const char* bytes = static_cast<const char*>(data);
  at -= base_;
  while (size > 0 && status_.ok()) {
    const ssize_t wrote = ::pwrite(fd_, bytes, size, static_cast<off_t>(at));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      status_ = Error{name_ + ": " + std::strerror(wrote < 0 ? errno : EIO),
                      "make room for the timeline's index"};
      return;
    }
    bytes += wrote;
    at += static_cast<uint64_t>(wrote);
    size -= static_cast<size_t>(wrote);
  }
}

}  // namespace steptrace::timeline
