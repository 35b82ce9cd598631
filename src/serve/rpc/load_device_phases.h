// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "analyze/device/device_phase_sums.h"
#include "base/result.h"
#include "serve/rpc/read_profile.h"
#include "store/packed_rows.h"
#include "store/run_reader.h"

namespace steptrace::rpc {

// Of a long run so many slices of its end are read: device phases are a part of them.
inline constexpr size_t kMostPhaseSlices = 4 * kMostLiveEvents;

// What the events at the borders of phases told of the device in these steps; empty where no
// process recorded any: such a run is not asked for its slices. Of a long run the steps of its end.
Result<analyze::StepsOnDevice> LoadDevicePhases(store::RunReader& run,
                                                const std::vector<store::TrackRow>& tracks,
                                                const store::PackedSteps& steps,
                                                const TimeBounds& bounds = {},
                                                size_t most = kMostPhaseSlices);

}  // namespace steptrace::rpc
