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
#include "store/written_manifests.h"

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

// What another writer of the run says of it, for one that says nothing more.
std::optional<Manifest> ToldByOthers(const fs::path& run, const std::string& writer) {
  for (const std::string& other : WritersOf(run)) {
    auto found = ReadWriter(run, other);
    if (other == writer || !found.ok()) continue;
    Manifest known = std::move(found->manifest);
    known.writer = writer;
    known.journal_nodes = {{writer, 0}};
    known.first_number = -1;
    known.nodes.clear();
    known.ranks.clear();
    known.end_ns.reset();
    known.exit_code.reset();
    known.signal.reset();
    return known;
  }
  return std::nullopt;
}

// A writer's manifest as it stands; one made from the run's other files where the newest cannot be
// read. An older one still tells what no row does.
Result<Manifest> ManifestToClose(const fs::path& run, const std::string& writer,
                                 StringTable& strings, std::vector<LossRow>* losses) {
  auto found = ReadWriter(run, writer);
  if (found.ok() && found->damaged.empty()) return std::move(found->manifest);
  if (!CanBeRebuilt(run, writer)) return found.error();
  const std::string why = found.ok() ? found->why : found.error().message;
  const std::vector<fs::path> damaged = found.ok() ? found->damaged : ManifestFiles(run, writer);
  STEPTRACE_ASSIGN_OR_RETURN(
      RebuiltRun rebuilt,
      RebuildRun(run, writer, why.substr(0, why.rfind("; ")),
                 found.ok() ? found->manifest : ToldByOthers(run, writer), strings));
  for (const fs::path& stands : damaged) {
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
Status MakeLockFolder(const fs::path& run, const std::string& name) {
  const fs::path folder = JournalDir(run, name);
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

Status CloseDeadWriter(const fs::path& run, const std::string& writer,
                       const RecoverOptions& options) {
  // Read again: another recovery may have been faster.
  StringTable strings;
  CompactionOptions compaction;
  compaction.chunk_bytes = options.chunk_bytes;
  STEPTRACE_ASSIGN_OR_RETURN(Manifest manifest,
                             ManifestToClose(run, writer, strings, &compaction.losses));
  for (LossRow& loss : LostJournalLosses(run, manifest, strings)) {
    compaction.losses.push_back(std::move(loss));
  }
  for (const JournalFile& file : JournalsOf(manifest, LostJournals(run))) {
    STEPTRACE_RETURN_IF_ERROR(MoveAwayIfNoFile(run, file.path));
  }
  if (manifest.status == kStatusInProgress) {
    ApplyEnd(options, &manifest);
    compaction.losses.push_back(AgentGapLoss(run, manifest, strings));
  }
  return CloseRun(run, &manifest, strings, compaction);
}

// Where a writer's lock is; format 1 locks the first node's folder for the whole run.
std::string LockFolder(const std::string& writer) {
  return writer.empty() ? JournalFolder(0) : writer;
}

bool HasJournals(const fs::path& run, const Manifest& manifest) {
  return !JournalsOf(manifest, ListJournals(run)).empty();
}

Status RecoverWriter(const fs::path& run, const std::string& writer,
                     const RecoverOptions& options) {
  const auto found = ReadWriter(run, writer);
  if (!found.ok() && !CanBeRebuilt(run, writer)) return found.error();
  if (found.ok() && found->damaged.empty() && found->manifest.status != kStatusInProgress &&
      !HasJournals(run, found->manifest)) {
    return {};
  }
  STEPTRACE_RETURN_IF_ERROR(MakeLockFolder(run, LockFolder(writer)));
  STEPTRACE_ASSIGN_OR_RETURN(RunLock lock, RunLock::Take(run, LockFolder(writer)));
  return CloseDeadWriter(run, writer, options);
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
  for (const std::string& writer : WritersOf(run)) {
    STEPTRACE_RETURN_IF_ERROR(RecoverWriter(run, writer, options));
  }
  RestoreCopy(run);
  return {};
}

Result<std::vector<DamagedSegment>> PutDamagedAside(const fs::path& run) {
  std::vector<DamagedSegment> all;
  for (const std::string& writer : WritersOf(run)) {
    const fs::path journal = JournalDir(run, LockFolder(writer));
    std::error_code failed;
    const bool had_journal = fs::is_directory(journal, failed);
    STEPTRACE_RETURN_IF_ERROR(MakeLockFolder(run, LockFolder(writer)));
    STEPTRACE_ASSIGN_OR_RETURN(RunLock lock, RunLock::Take(run, LockFolder(writer)));
    auto damaged = RemoveDamaged(run, writer);
    if (!had_journal) {  // what the lock needed
      fs::remove_all(journal, failed);
      fs::remove(journal.parent_path(), failed);  // unless others are in it
    }
    if (!damaged.ok()) return damaged;
    all.insert(all.end(), damaged->begin(), damaged->end());
  }
  return all;
}

}  // namespace steptrace::store
