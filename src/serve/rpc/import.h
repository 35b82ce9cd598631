// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "import/import_profiles.h"
#include "serve/rpc/import_request.h"

namespace steptrace::rpc {

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
