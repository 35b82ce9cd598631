// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "store/run_reader.h"
#include "timeline/index.h"
#include "timeline/live_run_index.h"

namespace steptrace::timeline {

// Of the run's slices, counters and tracks as its files stand now: equal numbers, equal indexes.
uint64_t FingerprintOf(const store::RunReader& run);

// The index of a run. Of a closed run it is kept as <run>/timeline/index, and made only when that
// is absent, stale or damaged; of one that is being written, or whose folder cannot be written, it
// lies in a file without a name. Making it takes time linear in slices and bounded memory.
// Parts whose contents are damaged are left out, and are among the reader's; an index without one
// is not kept.
// `live`, if there is one, is kept from one call for a run to the next: while the run is written,
// each index then costs what came since the one before.
Result<Index> OpenRunIndex(store::RunReader& run, LiveRunIndex* live = nullptr);

// Where a track lies by the files that hold its rows.
struct TrackHome {
  int32_t node = 0;
  int32_t rank = -1;
};

// Of the tracks of a run's slices and counters: for runs whose own table of tracks is damaged.
// Reads all of their segments.
std::unordered_map<int32_t, TrackHome> HomesOf(store::RunReader& run);

std::filesystem::path IndexPath(const std::filesystem::path& run);

}  // namespace steptrace::timeline
