// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace steptrace::cli {

// Says when a small file, which may come and go, has another content than before and is done being
// written: two looks in a row see the same. One stat a look.
class FileWatch {
 public:
  explicit FileWatch(std::filesystem::path file);

  // True: it has changed since the last time that this was said (or since the start).
  bool Poll();

 private:
  struct Mark {
    int64_t changed_ns = 0;
    int64_t bytes = -1;  // -1: there is none
    uint64_t inode = 0;
    friend bool operator==(const Mark&, const Mark&) = default;
  };
  Mark MarkNow() const;

  std::filesystem::path file_;
  Mark reported_;
  Mark seen_;
};

}  // namespace steptrace::cli
