// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "runs/join_runs.h"

namespace steptrace::rpc {

struct JoinRequest {
  std::vector<std::string> runs;  // paths, names or ids
  std::filesystem::path output;   // empty: a new folder, named after the first run, in `folder`
  std::filesystem::path folder;   // where runs are gathered
  mode_t folder_mode = kPrivateFolder;
  std::string name;  // of the run; empty: that of the first
  std::function<bool()> stopped;
};

// Makes one run of the runs of a job's nodes. Its report is made when somebody asks for it.
Result<runs::JoinSummary> JoinRuns(const JoinRequest& request,
                                   const std::function<void(int64_t, int64_t)>& progress);

}  // namespace steptrace::rpc
