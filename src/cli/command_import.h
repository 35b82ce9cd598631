// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands.h"
#include "cli/progress.h"
#include "serve/rpc/import.h"

// What `steptrace import` and `steptrace report FILE` share.
namespace steptrace::cli {

void AddImportLimits(CLI::App* command, rpc::ImportRequest& request);

// Where runs are gathered, who may read them, and what they do not hold.
void UseSettings(const Settings& settings, rpc::ImportRequest& request);

// Imports with a bar on stderr; what was left out is reported there. SIGINT and SIGTERM stop it: an
// error, after which the process ends with their status.
Result<import::ImportSummary> ImportWithProgress(rpc::ImportRequest request);

}  // namespace steptrace::cli
