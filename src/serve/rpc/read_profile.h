// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analyze/trace/trace.h"
#include "base/result.h"
#include "serve/rpc/time_bounds.h"
#include "store/packed_rows.h"
#include "store/run_reader.h"

namespace steptrace::rpc {

// Whether a run holds what a profiler saw (streams of devices, or an imported source), by its small
// tables alone: a live run without it is never asked for its slices.
bool HoldsProfile(const std::vector<store::TrackRow>& tracks,
                  const std::vector<store::RunMetadataRow>& facts,
                  const store::StringTable& strings);

// Whether it was made of profiles.
bool WasImported(const std::vector<store::RunMetadataRow>& facts,
                 const store::StringTable& strings);

// The tracks of threads and streams, by rank.
std::map<int32_t, std::vector<store::TrackRow>> ProfileTracks(
    const std::vector<store::TrackRow>& tracks, const store::StringTable& strings);

// From where on so many slices of the run's end lie, at least, by the times of its segments;
// nothing: from its begin on, or in journals, which say nothing of times.
std::optional<int64_t> NewestSlicesFrom(const store::RunReader& run, size_t most,
                                        std::optional<int64_t> to_ns);

// The slices and allocations of all ranks, linked. The reader outlives the value: it has the texts.
Result<analyze::Trace> LoadTrace(store::RunReader& run, const std::vector<store::TrackRow>& tracks,
                                 const std::vector<store::RunMetadataRow>& facts,
                                 const TimeBounds& bounds = {});

// Gives a rank these steps, by begin. Host events fall in the step in which they begin, device work
// in that of its launch.
void SetSteps(std::vector<analyze::TraceStep> steps, analyze::RankTrace& trace);

// Of a live run, the operators that its windows captured; no ranks where there were none. Of the
// slices those between a window's begin and end are read alone. Steps are the script's own marks
// (ProfilerStep#N); without them those of `steps` that lie in a window as a whole.
Result<analyze::Trace> LoadOperators(store::RunReader& run,
                                     const std::vector<store::TrackRow>& tracks,
                                     const std::vector<store::RunMetadataRow>& facts,
                                     const store::PackedSteps& steps,
                                     const TimeBounds& bounds = {});

// What is held of a live run's collectives at once: 72 bytes each, of all ranks together.
inline constexpr size_t kMostLiveEvents = size_t{1} << 20;

struct LiveCollectives {
  analyze::Trace trace;
  std::optional<int64_t> from_ns;  // what begins earlier was left out: it was too much
};

// Of a live run whose processes told of process groups (facts of kind `communicator`), its
// collectives and what lies between them (analyze/distributed/live_trace.h); no ranks otherwise. Of
// a long run the newest, on all ranks from the same moment on.
Result<LiveCollectives> LoadCollectives(store::RunReader& run,
                                        const std::vector<store::TrackRow>& tracks,
                                        const std::vector<store::RunMetadataRow>& facts,
                                        const store::PackedSteps& steps,
                                        const TimeBounds& bounds = {},
                                        size_t most = kMostLiveEvents);

}  // namespace steptrace::rpc
