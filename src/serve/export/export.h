// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "serve/export/trace_format.h"
#include "store/damaged_segments.h"

namespace steptrace::exporter {

// Writes a run's timeline, or the stacks that were sampled in it; a run without any is an error
// then. `destination`: a file; for Chrome's format and several ranks a folder,
// which gets a file for each; "-" is standard output. A file is there only when it is complete.
// `damaged` takes the run's files that could not be used, of tables that the format has something
// of; lines of tracks that they held are named by their numbers.
Status ExportTrace(const std::filesystem::path& run, TraceFormat format,
                   const std::filesystem::path& destination,
                   std::vector<store::DamagedSegment>* damaged = nullptr);

// Whether the run has that rank.
Status CheckRank(const std::filesystem::path& run, int64_t rank);

}  // namespace steptrace::exporter
