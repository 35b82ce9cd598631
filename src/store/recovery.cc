// SPDX-License-Identifier: Apache-2.0
#include "store/recovery.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "store/arrow_support.h"
#include "store/compaction.h"
#include "store/journal_losses.h"
#include "store/rebuilt_manifest.h"
#include "store/run_files.h"
#include "store/writer_lock.h"
#include "store/written_manifests.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

// What another writer of the run says of it, for one that says nothing more.
std::optional<KnownManifest> ManifestOfOthers(const fs::path& run, const std::string& writer) {
  for (const std::string& other : WritersOf(run)) {
    auto found = ReadWriter(run, other);
    if (other == writer || !found.ok()) continue;
    Manifest known = std::move(found->manifest);
    known.writer = writer;
    known.journal_nodes.clear();
    known.first_number = -1;
    known.nodes.clear();
    known.ranks.clear();
    known.end_ns.reset();
    known.exit_code.reset();
    known.signal.reset();
    return KnownManifest{std::move(known), false};
  }
  return std::nullopt;
}

// A writer's manifest as it stands; one made from the run's other files where the newest cannot be
// read. An older one still tells what no row does.
Result<Manifest> ManifestToClose(const fs::path& run, const std::string& writer,
                                 StringTable& strings, std::vector<DataLossRow>* losses) {
  auto found = ReadWriter(run, writer);
  if (found.ok() && found->damaged.empty()) return std::move(found->manifest);
  if (!CanBeRebuilt(run, writer)) return found.error();
  const std::string why = found.ok() ? found->why : found.error().cause;
  const std::vector<fs::path> damaged = found.ok() ? found->damaged : ManifestFiles(run, writer);
  const auto known = found.ok() ? KnownManifest{found->manifest} : ManifestOfOthers(run, writer);
  STEPTRACE_ASSIGN_OR_RETURN(RebuiltRun rebuilt, RebuildRun(run, writer, why, known, strings));
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
  compaction.write_manifest = WriteManifestAlone;  // of all writers run.json tells at the end
  STEPTRACE_ASSIGN_OR_RETURN(Manifest manifest,
                             ManifestToClose(run, writer, strings, &compaction.losses));
  for (DataLossRow& loss : LostJournalLosses(run, manifest, strings)) {
    compaction.losses.push_back(std::move(loss));
  }
  for (const JournalFile& file : LostJournalsOf(run, manifest)) {
    STEPTRACE_RETURN_IF_ERROR(MoveAwayIfNoFile(run, file.path));
  }
  if (manifest.status == kStatusInProgress) {
    ApplyEnd(options, &manifest);
    compaction.losses.push_back(AgentGapLoss(run, manifest, strings));
  }
  return CloseRun(run, &manifest, strings, compaction);
}

bool HasJournals(const fs::path& run, const Manifest& manifest) {
  return !JournalsOf(run, manifest).empty();
}

// Of a writer that died after its last journal was removed. Who holds its lock removes it himself.
void RemoveLeftFolder(const fs::path& run, const std::string& writer) {
  if (HasLockFolder(run, writer)) {
    auto lock = WriterLock::Take(run, writer);
    if (lock.ok()) lock->RemovesFolder();
  }
  ::rmdir((run / "journal").c_str());  // unless others are in it
}

Status RecoverWriter(const fs::path& run, const std::string& writer,
                     const RecoverOptions& options) {
  const auto found = ReadWriter(run, writer);
  if (!found.ok() && !CanBeRebuilt(run, writer)) return found.error();
  if (found.ok() && found->damaged.empty() && found->manifest.status != kStatusInProgress &&
      !HasJournals(run, found->manifest)) {
    RemoveLeftFolder(run, writer);
    return {};
  }
  STEPTRACE_ASSIGN_OR_RETURN(const WriterLock lock, WriterLock::Take(run, writer));
  return CloseDeadWriter(run, writer, options);
}

}  // namespace

Status RecoverRun(const fs::path& run, const RecoverOptions& options) {
  std::error_code failed;
  if (!fs::is_directory(run, failed)) {
    return Error{run.string() + ": no such run", "`steptrace ls` lists runs"};
  }
  if (::faccessat(AT_FDCWD, run.c_str(), R_OK | X_OK, AT_EACCESS) != 0) {
    return SystemError("cannot read " + run.string(), errno);
  }
  bool any = false;
  for (const std::string& writer : WritersOf(run)) {
    const Status recovered = RecoverWriter(run, writer, options);
    if (!recovered.ok()) {
      if (any) RestoreCopy(run);
      return recovered;
    }
    any = true;
  }
  RestoreCopy(run);
  return {};
}

Result<std::vector<DamagedSegment>> PutDamagedAside(const fs::path& run) {
  std::vector<DamagedSegment> all;
  for (const std::string& writer : WritersOf(run)) {
    STEPTRACE_ASSIGN_OR_RETURN(const WriterLock lock, WriterLock::Take(run, writer));
    STEPTRACE_ASSIGN_OR_RETURN(const auto damaged, RemoveDamaged(run, writer));
    all.insert(all.end(), damaged.begin(), damaged.end());
  }
  return all;
}

}  // namespace steptrace::store
