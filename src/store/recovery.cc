// SPDX-License-Identifier: Apache-2.0
#include "store/recovery.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "store/arrow_support.h"
#include "store/compaction.h"
#include "store/rebuilt_manifest.h"
#include "store/run_files.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

// What lies in the place of a file of ours: nobody could read or replace it.
Status MoveAwayIfNoFile(const fs::path& run, const fs::path& path) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0 || S_ISREG(facts.st_mode)) return {};
  STEPTRACE_ASSIGN_OR_RETURN(const fs::path aside, PutAside(run, path));
  (void)aside;
  return {};
}

// The manifest as it stands; one made from the run's other files where it cannot be read.
Result<Manifest> ManifestToClose(const fs::path& run, StringTable& strings,
                                 std::vector<LossRow>* losses) {
  auto manifest = ReadManifest(run);
  if (manifest.ok() || !CanBeRebuilt(run)) return manifest;
  const std::string& message = manifest.error().message;
  STEPTRACE_ASSIGN_OR_RETURN(RebuiltRun rebuilt,
                             RebuildRun(run, message.substr(0, message.rfind("; ")), strings));
  const fs::path stands = run / "run.json";
  std::error_code failed;
  if (fs::exists(fs::symlink_status(stands, failed))) {
    STEPTRACE_ASSIGN_OR_RETURN(const fs::path aside, PutAside(run, stands));
    rebuilt.losses.front().detail +=
        "; what was there was put aside as " + aside.lexically_relative(run).string();
  }
  for (const fs::path& file : rebuilt.left_over) {
    auto aside = PutAside(run, file);
    if (!aside.ok()) return aside.error();
  }
  losses->insert(losses->end(), rebuilt.losses.begin(), rebuilt.losses.end());
  return std::move(rebuilt.manifest);
}

// The folder that the lock needs, whatever lies there.
Status MakeLockFolder(const fs::path& run, int32_t node) {
  const fs::path folder = JournalDir(run, node);
  for (const fs::path& place : {folder.parent_path(), folder}) {
    std::error_code failed;
    if (fs::is_directory(place, failed) || !fs::exists(fs::symlink_status(place, failed))) continue;
    STEPTRACE_ASSIGN_OR_RETURN(const fs::path aside, PutAside(run, place));
    (void)aside;
  }
  STEPTRACE_RETURN_IF_ERROR(MakeDirs(folder));
  return MoveAwayIfNoFile(run, folder / kLockName);
}

void ApplyEnd(const RecoverOptions& options, Manifest* manifest) {
  manifest->status = options.status;
  manifest->exit_code = options.exit_code;
  manifest->signal = options.signal;
  manifest->end_ns = options.end_ns;
}

Status CloseDeadRun(const fs::path& run, const RecoverOptions& options) {
  // Read again: another recovery may have been faster.
  StringTable strings;
  CompactionOptions compaction;
  compaction.chunk_bytes = options.chunk_bytes;
  STEPTRACE_ASSIGN_OR_RETURN(Manifest manifest, ManifestToClose(run, strings, &compaction.losses));
  for (LossRow& loss : LostJournalLosses(run, manifest, strings)) {
    compaction.losses.push_back(std::move(loss));
  }
  for (const JournalFile& file : LostJournals(run)) {
    STEPTRACE_RETURN_IF_ERROR(MoveAwayIfNoFile(run, file.path));
  }
  if (manifest.status == kStatusInProgress) {
    ApplyEnd(options, &manifest);
    compaction.losses.push_back(AgentGapLoss(run, manifest, strings));
  }
  return CloseRun(run, &manifest, strings, compaction);
}

}  // namespace

Status RecoverRun(const fs::path& run, const RecoverOptions& options) {
  std::error_code failed;
  if (!fs::is_directory(run, failed)) {
    return Error{run.string() + ": no such run; `steptrace ls` lists runs"};
  }
  if (::faccessat(AT_FDCWD, run.c_str(), R_OK | X_OK, AT_EACCESS) != 0) {
    return SystemError("cannot read " + run.string(), errno);
  }
  auto manifest = ReadManifest(run);
  if (!manifest.ok() && !CanBeRebuilt(run)) return manifest.error();
  if (manifest.ok() && manifest->status != kStatusInProgress && ListJournals(run).empty()) {
    return {};
  }
  int32_t node = 0;
  STEPTRACE_RETURN_IF_ERROR(MakeLockFolder(run, node));
  STEPTRACE_ASSIGN_OR_RETURN(RunLock lock, RunLock::Take(run, node));
  return CloseDeadRun(run, options);
}

Result<std::vector<DamagedSegment>> PutDamagedAside(const fs::path& run) {
  const int32_t node = 0;
  const fs::path journal = JournalDir(run, node);
  std::error_code failed;
  const bool had_journal = fs::is_directory(journal, failed);
  STEPTRACE_RETURN_IF_ERROR(MakeLockFolder(run, node));
  STEPTRACE_ASSIGN_OR_RETURN(RunLock lock, RunLock::Take(run, node));
  auto damaged = RemoveDamaged(run);
  if (!had_journal) {  // what the lock needed
    fs::remove_all(journal, failed);
    fs::remove(journal.parent_path(), failed);  // unless others are in it
  }
  return damaged;
}

}  // namespace steptrace::store
