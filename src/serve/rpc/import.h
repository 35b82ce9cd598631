// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "import/importer.h"

namespace steptrace::rpc {

struct ImportRequest {
  std::vector<std::string> paths;
  std::filesystem::path output;  // empty: a new folder, named after the profile, in `folder`
  std::filesystem::path folder;  // where runs are gathered
  std::string name;
  Redactor redactor;
  mode_t folder_mode = kPrivateFolder;
  int64_t max_bytes = 0;  // 0: as import::Limits says
  int32_t max_depth = import::Limits{}.max_depth;
  std::function<bool()> stopped;  // asked now and then, by several threads: whether to give up
};

// Makes a run of profiles; of those that are not large its table `steps` too (steps.h).
Result<import::ImportSummary> ImportProfiles(const ImportRequest& request,
                                             const import::Progress& progress);

// A folder below `folder` that nothing has yet: NAME, NAME-2, ... Makes `folder`, which holds runs
// alone, with these permissions.
Result<std::filesystem::path> FreeFolder(const std::filesystem::path& folder,
                                         const std::string& name, mode_t mode);

// Whether a user who names this path means a profile rather than a run.
bool IsProfile(const std::filesystem::path& path);

}  // namespace steptrace::rpc
