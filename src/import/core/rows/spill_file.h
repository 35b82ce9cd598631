// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace steptrace::import {

// Where rows wait that memory has no room for. Made at first use; nobody else reads it.
class SpillFile {
 public:
  explicit SpillFile(std::filesystem::path path) : path_(std::move(path)) {}
  ~SpillFile() { Remove(); }
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  // `at` is where they begin.
  Status Append(const void* data, size_t bytes, int64_t* at);
  // In place of what is there.
  Status Write(int64_t at, const void* data, size_t bytes);
  Status Read(int64_t at, void* data, size_t bytes) const;
  void Remove();

 private:
  std::filesystem::path path_;
  UniqueFd fd_;
  int64_t size_ = 0;
};

}  // namespace steptrace::import
