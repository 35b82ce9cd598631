// SPDX-License-Identifier: Apache-2.0
#include "store/segment_footer.h"

#include <arrow/util/crc32.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

namespace steptrace::store {
namespace {

// Of a damaged length: no segment has as much to say of its few columns.
constexpr int64_t kLargestFooterBytes = 16 << 20;

bool ReadTailAt(int fd, int64_t offset, char* out, size_t size) {
  while (size > 0) {
    const ssize_t got = ::pread(fd, out, size, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out += got;
    offset += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

}  // namespace

std::optional<uint32_t> FooterChecksum(int fd) {
  constexpr std::string_view kMagic = "PAR1";
  uint32_t length = 0;
  constexpr int64_t kTailBytes = sizeof length + kMagic.size();
  const int64_t size = ::lseek(fd, 0, SEEK_END);
  char tail[kTailBytes];
  if (size < kTailBytes || !ReadTailAt(fd, size - kTailBytes, tail, sizeof tail))
    return std::nullopt;
  std::memcpy(&length, tail, sizeof length);
  if (std::string_view(tail + sizeof length, kMagic.size()) != kMagic) return std::nullopt;
  if (length > kLargestFooterBytes || length + kTailBytes > size) return std::nullopt;
  std::vector<char> footer(length + static_cast<size_t>(kTailBytes));
  if (!ReadTailAt(fd, size - static_cast<int64_t>(footer.size()), footer.data(), footer.size())) {
    return std::nullopt;
  }
  return arrow::internal::crc32(0, footer.data(), footer.size());
}

}  // namespace steptrace::store
