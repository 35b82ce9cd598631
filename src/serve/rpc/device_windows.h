// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analyze/trace/trace.h"
#include "base/result.h"
#include "serve/rpc/read_profile.h"
#include "store/packed_rows.h"
#include "store/run_reader.h"

namespace steptrace::rpc {

// Of a live run, what its windows of kernels captured, as a profile would tell it: rows and
// allocations of those windows alone, device work that a window's calls launched also behind its
// end, and as steps those that lie in a window as a whole, but for its first. The phases of the
// hooks have the names that PyTorch's own profiler gives such ranges. Where a damaged file held
// slices (`data_loss`) a window ends, and another begins behind it. No ranks where there was no
// such window.
Result<analyze::Trace> LoadDeviceWindows(store::RunReader& run,
                                         const std::vector<store::TrackRow>& tracks,
                                         const std::vector<store::RunMetadataRow>& facts,
                                         std::span<const store::DataLossRow> losses,
                                         const store::PackedSteps& steps,
                                         const TimeBounds& bounds = {});

}  // namespace steptrace::rpc
