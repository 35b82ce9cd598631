// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/damaged_segments.h"
#include "store/manifest.h"

namespace steptrace::store {

// How a run that its writer left open ended, as far as the caller knows.
struct RecoverOptions {
  std::string status = kStatusInterrupted;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::optional<int64_t> end_ns;  // since the epoch; else the last time in its rows
  int64_t chunk_bytes = 6 << 20;  // rows in memory at once
};

// Closes a run whose writer is gone: what the journals hold up to their last whole batch goes into
// segments, what is cut off becomes rows of `data_loss`. Safe at any moment and as often as one
// likes: a run that is closed already stays as it is (journals that a full disk left are moved in).
// Fails in one line when the run is live, of a newer format, not a run, or its folder cannot be
// written.
Status RecoverRun(const std::filesystem::path& run, const RecoverOptions& options = {});

// Reads every segment of a closed run whole, and puts those aside whose contents are damaged, as
// RemoveDamaged says: then what is left can be read. Returns what was moved. A run that is live is
// refused.
Result<std::vector<DamagedSegment>> PutDamagedAside(const std::filesystem::path& run);

}  // namespace steptrace::store
