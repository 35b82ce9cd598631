// SPDX-License-Identifier: Apache-2.0
#include "agent/system/kept_file.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

namespace steptrace::agent {

std::optional<std::string_view> KeptFile::Read(std::string& buffer) {
  if (!fd_.valid()) {
    fd_ = UniqueFd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd_.valid()) {
      error_ = errno;
      return std::nullopt;
    }
  }
  constexpr size_t kFirstBytes = 8192;  // most files; /proc/stat and diskstats make it grow once
  if (buffer.size() < kFirstBytes) buffer.resize(kFirstBytes);
  size_t filled = 0;
  while (filled < kMaxBytes) {
    if (filled == buffer.size()) buffer.resize(std::min(2 * buffer.size(), kMaxBytes));
    const ssize_t got = ::pread(fd_.get(), buffer.data() + filled, buffer.size() - filled,
                                static_cast<off_t>(filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      error_ = errno;
      fd_.reset();
      return std::nullopt;
    }
    filled += static_cast<size_t>(got);
    // Among many records a short read may end a page, and only a read of nothing ends the file.
    if (got == 0 || (records_ == Records::kOne && filled < buffer.size())) break;
  }
  error_ = 0;
  return std::string_view(buffer.data(), filled);
}

std::optional<std::string_view> KeptFile::ReadOnce(std::string& buffer) {
  std::optional<std::string_view> text = Read(buffer);
  Close();
  return text;
}

std::string DescribeReadError(const std::string& path, int error) {
  return path + ": " + std::strerror(error);
}

}  // namespace steptrace::agent
