// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analyze/report/report_input.h"
#include "base/result.h"
#include "store/packed_rows.h"
#include "store/run_reader.h"

// Rows of a run as analyze takes them.
namespace steptrace::rpc {

analyze::RunInfo RunInfoOf(const store::RunReader& run);

// The processes that DataLoaders started.
std::vector<analyze::LoaderWorker> WorkersOf(const std::vector<store::TrackRow>& tracks,
                                             const store::StringTable& strings);

struct StoredSteps {
  store::PackedSteps rows;  // by time
  bool any = false;         // the run has some, be they kept or not
};

// The steps that are wanted and kept, in the memory of the packed ones whatever became of the run.
Result<StoredSteps> ReadSteps(store::RunReader& run, const store::ReadOptions& options,
                              const std::function<bool(const store::StepRow&)>& keep);

// Of a closed run its own length; of a live one what went by; of a dead one the last that it told.
int64_t DurationOf(const store::RunReader& run, const store::PackedSteps& steps,
                   const std::vector<store::CounterRow>& counters);

// One series for each counter track, in the order of the tracks.
std::vector<analyze::CounterSeries> SeriesOf(const std::vector<store::TrackRow>& tracks,
                                             const std::vector<store::CounterRow>& counters);

// Names of metrics that the run has tracks for, but none of these series: of a stretch, those that
// were read outside of it alone.
std::vector<std::string> MetricsWithoutValues(const std::vector<store::TrackRow>& tracks,
                                              const std::vector<analyze::CounterSeries>& series);

}  // namespace steptrace::rpc
