// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analyze/attribution/transfer.h"
#include "analyze/input/steps_on_device.h"

namespace steptrace::analyze {

// What events at the boundaries of phases tell of the device in this step; null: nothing.
const StepOnDevice* OnDevice(const StepEvidence& step);

// Computing: what the device did while the host was in code without a name of its own (a
// loss.item()). Returns what is left of it; nothing moves where there is none.
int64_t MoveUnnamed(StageTimes& times, int64_t computing_ns);

}  // namespace steptrace::analyze
