// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/result.h"
#include "base/unique_fd.h"
#include "cli/settings.h"
#include "serve/rpc/import_request.h"

namespace steptrace::cli {

struct ProfileRun {
  std::filesystem::path path;
  UniqueFd in_use{};  // of a run in the cache: while it is open nobody removes the run
};

enum class RunLasts : bool { kForTheReport, kForGood };

// The run that `steptrace report` makes of a profile, or made of it before while its files have not
// changed. It lies in the user's cache, so that a report leaves nothing in the working directory;
// in the folder of runs where one was named, where there is no cache, or where it has to stay: the
// cache removes runs. A line on stderr says where.
Result<ProfileRun> RunOfProfile(rpc::ImportRequest request, const Settings& settings,
                                RunLasts lasts);

}  // namespace steptrace::cli
