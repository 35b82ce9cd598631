// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace steptrace::pages {

// A page that is mailed stays small: of more steps it shows what the report says of them.
inline constexpr int64_t kMostSteps = 20'000;
inline constexpr int64_t kMostCheckpoints = 20'000;

// The table `steps` of a run as a JSON object of columns, {"rank": [0, …], "dur_ns": […], …}: times
// in ns, absent values null. Empty text: the run has none, or more than `most`.
Result<std::string> StepColumns(const std::filesystem::path& run, int64_t most = kMostSteps);

// The moments at which checkpoints were saved and loaded, likewise: slices, of the columns that the
// overview asks for (ui/src/views/overview/checkpoints.ts).
Result<std::string> CheckpointColumns(const std::filesystem::path& run,
                                      int64_t most = kMostCheckpoints);

}  // namespace steptrace::pages
