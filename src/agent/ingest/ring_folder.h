// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

// The folder in shared memory where the processes of one run put their rings:
//
//   <shm>/steptrace-<uid>/            0700, ours, no link
//     <run id>/                       0700, the same
//       lock                          locked (flock) while the launcher or the agent lives
//       capture                       the agent's socket for captures on demand (capture_port.h)
//       <pid>.<starttime>[.<n>].ring  one a process, removed by the agent after the last drain
//       <pid>.<starttime>.no_space    a process found no room for its ring
//       hooks[_<what>].<n>            empty: a Python loaded the hooks (hooks_marks.h)
//     kineto-XXXXXX/                  with `run --kineto`: see kineto_endpoint.h
//
// A folder whose lock is free and whose processes are dead belongs to nobody: it is swept, once its
// lock is a minute old.
namespace steptrace::agent {

// A file beside the rings, locked while the agent lives.
inline constexpr const char* kLockName = "lock";

// Whether a file of that folder is one of those that no process's ring is.
bool IsOwnFile(std::string_view name);

// Less room than this and a training with a few workers would lose names and rings.
inline constexpr uint64_t kMinFreeBytes = 8ull << 20;

struct RingFolder {
  std::filesystem::path path;
  UniqueFd lock;       // close-on-exec
  bool in_shm = true;  // false: a file system that may write to a disk
};

// Where rings may lie, best first. `wished` (a flag or STEPTRACE_SHM) leaves no choice.
std::vector<std::filesystem::path> ShmCandidates(const std::filesystem::path& wished,
                                                 const std::filesystem::path& run_dir);

// Makes <shm>/steptrace-<uid>/<run id> in the first candidate with room, or else in the roomiest.
Result<RingFolder> MakeRingFolder(const std::vector<std::filesystem::path>& candidates,
                                  const std::string& run_id);

// Removes a run's ring folder with what a run puts there; leaves what anybody else put there.
void RemoveRingFolder(const std::filesystem::path& folder);

// Removes what dead runs of this user left beside `folder`. Returns how many folders went.
int SweepStaleRingFolders(const std::filesystem::path& folder);

// The parts of a file's name in such a folder, as wire/ring_layout.h gives them.
struct RingFileName {
  int32_t pid = 0;
  uint64_t start_time_ticks = 0;
  bool no_space = false;
};
std::optional<RingFileName> ParseRingFileName(std::string_view name);

}  // namespace steptrace::agent
