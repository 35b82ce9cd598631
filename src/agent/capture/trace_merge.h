// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "agent/rows/loss_book.h"
#include "agent/rows/track_registry.h"
#include "base/result.h"
#include "store/run_writer.h"

namespace steptrace::agent {

// Whose trace it is, and the run's epoch by the wall clock of today: the clock may have been set or
// slewed since the run began, and the trace was written a moment ago.
struct TraceOwner {
  int32_t pid = 0;
  int64_t epoch_utc_ns = 0;
  int64_t now_ns = 0;  // by the run's clock
};

struct MergedTrace {
  int64_t slices = 0;
  int64_t allocations = 0;
  int64_t left_out = 0;  // rows on tracks that belong to no thread or stream
};

// Brings what a profile of one process holds into the live run: slices (category `cpu_op` becomes
// `operator`, as those of ITT are called), allocations and losses, by the run's clock, on the
// tracks that its threads have already. `imported` is a run that `steptrace import` made of the
// profile. An error: nothing can be read there, or no process of that number is in the run.
Result<MergedTrace> MergeTrace(const std::filesystem::path& imported, const TraceOwner& owner,
                               store::RunWriter& writer, TrackRegistry& tracks, LossBook& losses);

}  // namespace steptrace::agent
