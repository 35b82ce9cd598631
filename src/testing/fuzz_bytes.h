// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>

#include "import/core/bytes/byte_stream.h"

// What the fuzz targets of importers share.
namespace steptrace::import {

// The fuzzer's bytes as a stream; they outlive it.
class FuzzBytes : public ByteStream {
 public:
  FuzzBytes(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  Result<size_t> Read(char* out, size_t size) override {
    const size_t count = std::min(size, size_ - at_);
    if (count > 0) std::memcpy(out, data_ + at_, count);
    at_ += count;
    return count;
  }
  int64_t consumed() const override { return static_cast<int64_t>(at_); }

 private:
  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
};

// An empty folder for the run that a target makes.
inline std::filesystem::path FuzzFolder(const std::string& target) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / (target + "." + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  return folder;
}

}  // namespace steptrace::import
