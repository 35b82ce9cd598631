// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace steptrace::store {

// A line of `steptrace ls`.
struct RunSummary {
  std::filesystem::path path;
  std::string id;
  std::string name;
  std::string
      status;  // `interrupted` for a run found dead, `unreadable` with the reason in `problem`
  std::string problem;
  std::vector<std::string> command;
  std::string imported_as;  // as the manifest has it
  int64_t started_utc_ns = 0;
  std::optional<int64_t> duration_ns;  // of a closed run
  std::optional<int> exit_code;
  std::optional<int> signal;
  int32_t ranks = 0;
  int64_t steps = 0;  // of the rank with the most, in segments: 0 while it lives
  int64_t bytes = 0;  // of its segments and journals: of a run that is being written, the latter
};

// Whether a folder is a run's, also where its manifest is gone.
bool IsRunFolder(const std::filesystem::path& folder);

// The runs in a folder, newest first. A folder that is absent holds none.
Result<std::vector<RunSummary>> ListRuns(const std::filesystem::path& folder);

// The newest run in a folder; fails in one line when there is none.
Result<std::filesystem::path> NewestRun(const std::filesystem::path& folder);

}  // namespace steptrace::store
