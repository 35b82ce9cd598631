// SPDX-License-Identifier: Apache-2.0
#include "store/run_list.h"

#include <algorithm>
#include <map>
#include <optional>

#include "store/manifest.h"
#include "store/run_files.h"
#include "store/tables.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

RunSummary Summarise(const fs::path& run) {
  RunSummary summary;
  summary.path = run;
  // No manifest counts them.
  for (const JournalFile& file : ListJournals(run)) summary.bytes += file.bytes;
  auto manifest = ReadManifest(run);
  if (!manifest.ok()) {
    summary.id = run.filename();
    summary.name = summary.id;
    summary.status = "unreadable";
    summary.problem = manifest.error().text();
    return summary;
  }
  summary.id = manifest->id;
  summary.name = manifest->name;
  summary.status = manifest->status;
  if (summary.status == kStatusInProgress && !RunLock::IsHeld(run)) {
    summary.status = kStatusInterrupted;
  }
  summary.command = manifest->command;
  summary.imported_as = manifest->imported_as;
  summary.started_utc_ns = manifest->epoch_utc_ns;
  summary.duration_ns = manifest->end_ns;
  summary.exit_code = manifest->exit_code;
  summary.signal = manifest->signal;
  summary.ranks = static_cast<int32_t>(manifest->ranks.size());
  std::map<std::optional<int32_t>, int64_t> steps_of_ranks;
  for (const auto& [table, parts] : manifest->tables) {
    for (const SegmentInfo& segment : parts.segments) {
      summary.bytes += segment.bytes;
      if (table == TableOf<StepRow>::kName) steps_of_ranks[segment.rank] += segment.rows;
    }
  }
  for (const auto& [rank, steps] : steps_of_ranks) summary.steps = std::max(summary.steps, steps);
  return summary;
}

}  // namespace

bool IsRunFolder(const fs::path& folder) {
  std::error_code failed;
  return fs::is_directory(folder, failed) &&
         (HasManifest(folder) || fs::is_directory(folder / "journal", failed) || HoldsRows(folder));
}

Result<std::vector<RunSummary>> ListRuns(const fs::path& folder) {
  std::vector<RunSummary> runs;
  std::error_code failed;
  if (!fs::exists(folder, failed)) return runs;
  fs::directory_iterator it(folder, failed);
  if (failed) {
    return Error{"cannot list " + folder.string() + ": " + failed.message(),
                 "ask its owner for the right to read it, or name another folder of runs"};
  }
  for (; !failed && it != fs::directory_iterator(); it.increment(failed)) {
    if (IsRunFolder(it->path())) runs.push_back(Summarise(it->path()));
  }
  std::sort(runs.begin(), runs.end(), [](const RunSummary& a, const RunSummary& b) {
    return std::tie(a.started_utc_ns, a.path) > std::tie(b.started_utc_ns, b.path);
  });
  return runs;
}

Result<fs::path> NewestRun(const fs::path& folder) {
  STEPTRACE_ASSIGN_OR_RETURN(std::vector<RunSummary> runs, ListRuns(folder));
  if (runs.empty()) {
    return Error{"no runs in " + folder.string(),
                 "make one with `steptrace run -- python train.py` or name a run's folder"};
  }
  // One that cannot be read is not what is meant, unless there is no other.
  auto readable = std::find_if(runs.begin(), runs.end(),
                               [](const RunSummary& run) { return run.problem.empty(); });
  return readable == runs.end() ? runs.front().path : readable->path;
}

}  // namespace steptrace::store
