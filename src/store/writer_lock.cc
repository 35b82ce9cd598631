// SPDX-License-Identifier: Apache-2.0
#include "store/writer_lock.h"

#include <sys/stat.h>

#include <system_error>
#include <utility>

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

// Format 1 locks the first node's folder for the whole run.
fs::path LockFolder(const fs::path& run, const std::string& writer) {
  return JournalDir(run, writer.empty() ? JournalFolder(0) : writer);
}

// The folder that the lock needs, whatever lies there.
Status MakeLockFolder(const fs::path& run, const fs::path& folder) {
  for (const fs::path& place : {folder.parent_path(), folder}) {
    std::error_code failed;
    if (fs::is_directory(place, failed) || !fs::exists(fs::symlink_status(place, failed))) continue;
    STEPTRACE_RETURN_IF_ERROR(PutAside(run, place));
  }
  STEPTRACE_RETURN_IF_ERROR(MakeDirs(folder));
  return MoveAwayIfNoFile(run, folder / kLockName);
}

}  // namespace

bool HasLockFolder(const fs::path& run, const std::string& writer) {
  std::error_code failed;
  return fs::is_directory(LockFolder(run, writer), failed);
}

Status MoveAwayIfNoFile(const fs::path& run, const fs::path& path) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0 || S_ISREG(facts.st_mode)) return {};
  STEPTRACE_RETURN_IF_ERROR(PutAside(run, path));
  return {};
}

Result<WriterLock> WriterLock::Take(const fs::path& run, const std::string& writer) {
  const fs::path folder = LockFolder(run, writer);
  constexpr int kTries = 3;  // who had the lock before may take the folder with it
  for (int i = 1;; ++i) {
    const bool there = HasLockFolder(run, writer);
    STEPTRACE_RETURN_IF_ERROR(MakeLockFolder(run, folder));
    auto lock = RunLock::Take(run, folder.filename());
    if (lock.ok()) return WriterLock(run, folder, !there, *std::move(lock));
    if (i == kTries || HasLockFolder(run, writer)) return lock.error();
  }
}

WriterLock::WriterLock(fs::path run, fs::path folder, bool made, RunLock lock)
    : run_(std::move(run)),
      folder_(std::move(folder)),
      removes_folder_(made),
      lock_(std::move(lock)) {}

WriterLock::WriterLock(WriterLock&& other) noexcept
    : run_(std::exchange(other.run_, {})),
      folder_(std::move(other.folder_)),
      removes_folder_(other.removes_folder_),
      lock_(std::move(other.lock_)) {}

WriterLock::~WriterLock() {
  if (run_.empty() || !removes_folder_) return;
  std::error_code ignored;
  fs::remove(folder_ / kReserveName, ignored);
  fs::remove(folder_ / kLockName, ignored);
  fs::remove(folder_, ignored);  // unless something else is in it
  fs::remove(folder_.parent_path(), ignored);
}

}  // namespace steptrace::store
