// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace steptrace::timeline {

// Bytes appended to a descriptor that it does not own, through a buffer. The first failure is kept:
// whoever writes much asks once, at the end.
class FileOut {
 public:
  // Places count from `base`, where the file's first byte is.
  FileOut(int fd, std::string name, uint64_t base = 0)
      : fd_(fd), name_(std::move(name)), base_(base), flushed_(base) {
    buffer_.reserve(kBytes);
  }

  uint64_t at() const { return flushed_ + buffer_.size(); }
  void Append(const void* data, size_t size);
  void Pad();  // to a multiple of 8
  template <class T>
  void AppendAll(const std::vector<T>& values) {
    Append(values.data(), values.size() * sizeof(T));
  }
  void Flush();
  void Overwrite(uint64_t at, const void* data, size_t size);  // of what was flushed
  const Status& status() const { return status_; }

 private:
  static constexpr size_t kBytes = 1 << 20;
  void Write(uint64_t at, const void* data, size_t size);

  int fd_;
  std::string name_;
  uint64_t base_;
  uint64_t flushed_;
  std::vector<char> buffer_;
  Status status_;
};

}  // namespace steptrace::timeline
