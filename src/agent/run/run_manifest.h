// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "agent/ingest/clock_calibration.h"
#include "agent/run/agent_options.h"
#include "agent/run/run_end.h"
#include "store/manifest.h"

namespace steptrace::agent {

// The manifest of a run that begins now on this machine.
store::Manifest NewManifest(const AgentOptions& options);

// Adds how it ended. `end_ns` is since the epoch.
void FinishManifest(store::Manifest& manifest, const RunEnd& end, int64_t end_ns,
                    const ClockCalibration& calibration);

}  // namespace steptrace::agent
