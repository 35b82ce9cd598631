// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace steptrace::agent {

// A small text file of the kernel that is read again and again: opened at the first read, then
// read from its beginning over the kept descriptor, which costs a third of open, read and close.
// A descriptor of /proc/<pid> is bound to that process: after its end reads fail, whoever has the
// pid by then. One thread.
class KeptFile {
 public:
  // Most of the kernel's texts are one record, given whole by a read that has room for it. Those of
  // many records (diskstats, net/dev, mountinfo) come a page at a time.
  enum class Records { kOne, kMany };

  KeptFile() = default;
  explicit KeptFile(std::string path, Records records = Records::kOne)
      : path_(std::move(path)), records_(records) {}

  // The whole text, at most kMaxBytes, valid until `buffer` changes; nothing on failure, and then
  // error() says why and the next call opens anew.
  std::optional<std::string_view> Read(std::string& buffer);
  // The same without keeping the descriptor, for files beyond a budget of descriptors.
  std::optional<std::string_view> ReadOnce(std::string& buffer);

  const std::string& path() const { return path_; }
  int error() const { return error_; }  // an errno; 0 after a good read
  bool open() const { return fd_.valid(); }
  void Close() { fd_.reset(); }

  // A text longer than this is cut: /proc/stat of 4,096 cores is 400 KiB.
  static constexpr size_t kMaxBytes = size_t{4} << 20;

 private:
  std::string path_;
  Records records_ = Records::kOne;
  UniqueFd fd_;
  int error_ = 0;
};

// "no such file: the kernel lacks it" and the like, for a reason told to people.
std::string DescribeReadError(const std::string& path, int error);

}  // namespace steptrace::agent
