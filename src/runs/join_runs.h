// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "base/inherited_mode.h"
#include "base/result.h"

// One job on several nodes is recorded as a run a node; here the runs become one.
namespace steptrace::runs {

struct JoinOptions {
  std::filesystem::path output;  // the run's folder; must not exist
  std::string name;              // of the run; empty: that of the first
  mode_t folder_mode = kPrivateFolder;
  // Asked now and then: whether to give up. The join is then an error.
  std::function<bool()> stopped;
  // Told now and then: rows written, of how many.
  std::function<void(int64_t done, int64_t total)> progress;
};

struct JoinSummary {
  std::filesystem::path run;
  int64_t rows = 0;
  int64_t nodes = 0;
  int64_t ranks = 0;
};

// Makes a new run of all rows of closed ones. Nodes, tracks and stacks are numbered anew, in the
// order of `runs`; times are put on one clock: by UTC, or of runs of one boot of one machine by its
// monotonic clock, which is exact. What UTC leaves (nodes' clocks differ by milliseconds) shows in
// the collectives, and the report corrects it (analyze/distributed).
//
// Fails in one line, and leaves nothing, when a run cannot be read or is still being written, when
// its times have no date, or when a rank or a run is there twice.
Result<JoinSummary> JoinRuns(std::span<const std::filesystem::path> runs,
                             const JoinOptions& options);

}  // namespace steptrace::runs
