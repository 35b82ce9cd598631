// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "store/run_files.h"

namespace steptrace::store {

// The lock of a writer that is gone, held by one who writes in its place. The folder that it needs
// is made where it is missing, and goes with the lock then.
class WriterLock {
 public:
  static Result<WriterLock> Take(const std::filesystem::path& run, const std::string& writer);
  WriterLock(WriterLock&& other) noexcept;
  WriterLock& operator=(WriterLock&&) = delete;
  ~WriterLock();

  // The folder goes, too, that was there before: nothing else is in it.
  void RemovesFolder() { removes_folder_ = true; }

 private:
  WriterLock(std::filesystem::path run, std::filesystem::path folder, bool made, RunLock lock);

  std::filesystem::path run_;  // empty: moved from
  std::filesystem::path folder_;
  bool removes_folder_;
  RunLock lock_;
};

// Whether the writer has a folder for its journals and its lock.
bool HasLockFolder(const std::filesystem::path& run, const std::string& writer);

// Puts aside what lies in the place of a file of ours: nobody could read or replace it.
Status MoveAwayIfNoFile(const std::filesystem::path& run, const std::filesystem::path& path);

}  // namespace steptrace::store
