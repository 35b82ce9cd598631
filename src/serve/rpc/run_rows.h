// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyze/input/report_input.h"
#include "base/result.h"
#include "serve/rpc/time_bounds.h"
#include "store/packed_rows.h"
#include "store/run_reader.h"

// Rows of a run as analyze takes them.
namespace steptrace::rpc {

analyze::RunInfo RunInfoOf(const store::RunReader& run);

// The processes that DataLoaders started.
std::vector<analyze::LoaderWorker> WorkersOf(const std::vector<store::TrackRow>& tracks,
                                             const store::StringTable& strings);

struct StoredSteps {
  store::PackedSteps rows;          // by time
  std::vector<store::StepRow> cut;  // begin in the time range and end behind it
  bool any = false;                 // the run has some, be they in the time range or not
};

// Of the rows that are asked for, the steps that lie in the time range, in the memory of the packed
// ones whatever became of the run.
Result<StoredSteps> ReadSteps(store::RunReader& run, const store::ReadOptions& options,
                              const TimeBounds& time_range);

// Stages of steps that begin in the time range.
Result<store::PackedRows<store::StepStageRow>> ReadStepStages(store::RunReader& run,
                                                              const TimeBounds& time_range);

// Of steps that were derived: those that do not lie in it go, the cut ones to `cut`.
void KeepTimeRange(const TimeBounds& time_range, std::vector<store::StepRow>& steps,
                   std::vector<store::StepRow>& cut);

// How the rows that are read of a time range stand to the tables'.
analyze::TableRows TableRowsOf(const TimeBounds& time_range, std::span<const store::StepRow> cut);

// Whether each of the counters lies on a track that is known, and no file of tracks is damaged:
// else counters and slices are left out because their tracks are lost.
bool HasAllTracks(const store::RunReader& run, const std::vector<store::TrackRow>& tracks,
                  const std::vector<store::CounterRow>& counters);

// Of a closed run its own length; of a live one what went by; of a dead one the last that it told.
int64_t DurationOf(const store::RunReader& run, const store::PackedSteps& steps,
                   const std::vector<store::CounterRow>& counters);

// One series for each counter track, in the order of the tracks.
std::vector<analyze::CounterSeries> SeriesOf(const std::vector<store::TrackRow>& tracks,
                                             const std::vector<store::CounterRow>& counters);

// Names of metrics that the run has tracks for, but none of these series: of a time range, those
// that were read outside of it alone.
std::vector<std::string> MetricsWithoutValues(const std::vector<store::TrackRow>& tracks,
                                              const std::vector<analyze::CounterSeries>& series);

}  // namespace steptrace::rpc
