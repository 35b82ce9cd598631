// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace steptrace::store {

// Number of the format that this build writes; FORMAT.md has a paragraph for each.
inline constexpr int kFormatNumber = 2;

inline constexpr const char* kStatusInProgress = "in_progress";
inline constexpr const char* kStatusCompleted = "completed";
inline constexpr const char* kStatusFailed = "failed";
inline constexpr const char* kStatusStopped = "stopped";
inline constexpr const char* kStatusInterrupted = "interrupted";

// How the node's clocks were set against each other, so that its times can be checked later.
struct ClockInfo {
  std::string source{};        // tsc or monotonic
  double ticks_per_ns = 0;     // 0: not calibrated
  int64_t uncertainty_ns = 0;  // of the epoch's UTC against the monotonic clock
  int64_t monotonic_ns = 0;    // a moment, by both clocks
  uint64_t tsc = 0;
};

struct NodeInfo {
  int32_t node = 0;
  std::string host{};
  int32_t cpus = 0;          // 0: not known, as of a profile from elsewhere
  int64_t memory_bytes = 0;  // 0: not known
  std::string kernel{};
  std::string boot_id{};
  ClockInfo clock{};
  std::vector<std::string> gpu_uuids{};  // by device; empty: not known
};

struct RankInfo {
  int32_t rank = 0;
  int32_t node = 0;
  int32_t local_rank = -1;
  int32_t world_size = -1;
  int64_t pid = 0;
  // Its coordinates in the parallel layout: data, tensor, pipeline, expert; none where unknown.
  std::optional<int32_t> dp{};
  std::optional<int32_t> tp{};
  std::optional<int32_t> pp{};
  std::optional<int32_t> ep{};
};

// Of which job a run is, so that runs find each other. Unknown values are absent.
struct RunIdentity {
  std::optional<std::string> job_id;    // of the scheduler or the launcher
  std::optional<int64_t> attempt;       // of an elastic job; the first is 0
  std::optional<std::string> topology;  // label of the network's layout
  std::optional<std::string> git_commit;
  std::map<std::string, std::string> tags;
};

// A closed part of a table: one Parquet file, sorted by time.
struct SegmentInfo {
  std::string file;  // relative to the run, below tables/
  int32_t node = 0;
  std::optional<int32_t> rank;  // of tables that have ranks
  int64_t rows = 0;
  int64_t bytes = 0;
  std::optional<int64_t> ts_min_ns;
  std::optional<int64_t> ts_max_ns;
  std::optional<uint32_t> footer_crc32{};  // none: by a build that wrote none
};

struct TableParts {
  std::vector<SegmentInfo> segments;
  // By folder of journals (JournalFile): those with a lower number are in the segments already. One
  // write of the manifest moves rows from journals to segments, so that a crash neither loses nor
  // doubles them.
  std::map<std::string, int32_t> absorbed_journals;
};

// What a run is, how it ended, and which files hold its rows: as one writer tells it, or all of its
// writers together (ReadManifest). A value.
struct Manifest {
  int format = kFormatNumber;
  std::string writer;  // whose it is; empty: of several, of none yet, or of a run of format 1
  std::string id;
  std::string name;
  std::string status = kStatusInProgress;
  std::vector<std::string> command;
  // The format of the profiles that it was made of; empty: it was recorded.
  std::string imported_as;
  int64_t epoch_utc_ns = 0;
  int64_t epoch_monotonic_ns = 0;
  std::optional<int64_t> end_ns;  // since the epoch
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string steptrace_version;
  int64_t writer_pid = 0;
  RunIdentity identity;
  std::vector<NodeInfo> nodes;
  std::vector<RankInfo> ranks;
  std::map<std::string, std::string> versions;  // of frameworks, as the processes told them
  std::map<std::string, TableParts> tables;     // kept by the store; what a caller sets is ignored
  // From which on the writer numbers tracks and stacks: no other writer of the run begins there.
  int32_t first_number = 0;
  // Of which node a folder of journals holds the rows. Format 1 has that in the folder's name.
  std::map<std::string, int32_t> journal_nodes;
  std::vector<std::string> damaged;  // writers whose newest manifest cannot be read, and why
};

// From format 2 on with a checksum of what stands before it, which ManifestFromJson asks for.
std::string ManifestToJson(const Manifest& manifest);
// `where` names the file in the error, whose next step is for a file without a run around it.
Result<Manifest> ManifestFromJson(const std::string& json, const std::string& where);
// The number alone, of any text; 0: it has none.
int FormatOfJson(const std::string& json);

// Whether the folder has a manifest, of any format, or what lies in its place.
bool HasManifest(const std::filesystem::path& run);
// The run as all of its writers tell it. What is wrong with the files is an error that leads to
// RecoverRun where that can help.
Result<Manifest> ReadManifest(const std::filesystem::path& run);
// Adds a generation to the writer's manifests (this process's, where it names none), and refreshes
// run.json; of a run of format 1 replaces run.json. A reader sees the old one or the new one.
// Durable when it returns.
Status WriteManifest(const std::filesystem::path& run, const Manifest& manifest);

}  // namespace steptrace::store
