// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "agent/ingest/side_tracks.h"
#include "store/tables.h"

namespace steptrace::agent {

// The last row, of kDevicePhase, gets its line (`device phases` and the device's number) and its
// arguments from argument `a` of its record (wire/vocabulary.h). False: that makes no sense, and
// the row is gone.
bool PlaceDevicePhase(uint64_t a, SideTracks& lines, std::vector<store::SliceRow>& rows);

}  // namespace steptrace::agent
