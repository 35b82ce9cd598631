// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/result.h"
#include "cli/settings.h"
#include "serve/rpc/import_request.h"

namespace steptrace::cli {

// The run that `steptrace report` makes of a profile, or made of it before while its files have not
// changed. It lies in the user's cache, so that a report leaves nothing in the working directory;
// in the folder of runs where one was named, or where there is no cache. A line on stderr says
// where.
Result<std::filesystem::path> RunOfProfile(rpc::ImportRequest request, const Settings& settings);

}  // namespace steptrace::cli
