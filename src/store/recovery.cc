// SPDX-License-Identifier: Apache-2.0
#include "store/recovery.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "store/arrow_support.h"
#include "store/compaction.h"
#include "store/run_files.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

// Of a run whose manifest is lost or damaged: what its folder still tells.
Manifest RebuiltManifest(const fs::path& run) {
  Manifest manifest;
  manifest.id = run.filename();
  manifest.name = manifest.id;
  struct stat facts {};
  if (::stat((run / "journal").c_str(), &facts) == 0) {
    manifest.epoch_utc_ns = int64_t{facts.st_ctim.tv_sec} * 1'000'000'000 + facts.st_ctim.tv_nsec;
  }
  return manifest;
}

bool HasManifest(const fs::path& run) {
  struct stat facts {};
  return ::stat((run / "run.json").c_str(), &facts) == 0;
}

LossRow ManifestLoss(StringTable& strings) {
  LossRow loss;
  loss.cause = strings.Intern("manifest_damaged");
  loss.count = -1;
  loss.detail =
      "run.json was missing or damaged and was made anew from the journal; the command, the nodes "
      "and "
      "closed segments that it named are unknown";
  return loss;
}

// The manifest as it stands; one made from the folder where it is missing or damaged.
Result<Manifest> ManifestToClose(const fs::path& run, StringTable& strings,
                                 std::vector<LossRow>* losses) {
  auto manifest = ReadManifest(run);
  if (manifest.ok()) return manifest;
  bool newer = manifest.error().message.find("newer") != std::string::npos;
  if (newer || ListJournals(run).empty()) return manifest.error();
  if (HasManifest(run)) {
    std::error_code failed;
    fs::rename(run / "run.json", run / "run.json.damaged", failed);
  }
  losses->push_back(ManifestLoss(strings));
  return RebuiltManifest(run);
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
  bool has_journals = !ListJournals(run).empty();
  auto manifest = ReadManifest(run);
  if (!manifest.ok() && !has_journals) return manifest.error();
  if (manifest.ok() && manifest->status != kStatusInProgress && !has_journals) return {};
  int32_t node = 0;
  STEPTRACE_RETURN_IF_ERROR(MakeDirs(JournalDir(run, node)));
  STEPTRACE_ASSIGN_OR_RETURN(RunLock lock, RunLock::Take(run, node));
  return CloseDeadRun(run, options);
}

Result<std::vector<DamagedSegment>> PutDamagedAside(const fs::path& run) {
  const int32_t node = 0;
  const fs::path journal = JournalDir(run, node);
  std::error_code failed;
  const bool had_journal = fs::exists(journal, failed);
  STEPTRACE_RETURN_IF_ERROR(MakeDirs(journal));
  STEPTRACE_ASSIGN_OR_RETURN(RunLock lock, RunLock::Take(run, node));
  auto damaged = RemoveDamaged(run);
  if (!had_journal) {  // what the lock needed
    fs::remove_all(journal, failed);
    fs::remove(journal.parent_path(), failed);  // unless others are in it
  }
  return damaged;
}

}  // namespace steptrace::store
