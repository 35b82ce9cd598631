// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands.h"
#include "cli/progress.h"
#include "serve/rpc/import.h"

// What `steptrace import` and `steptrace report FILE` share.
namespace steptrace::cli {

void AddImportLimits(CLI::App* command, rpc::ImportRequest& request);

// Imports with a bar on stderr; what was left out is told there.
Result<import::ImportSummary> ImportWithProgress(const rpc::ImportRequest& request);

}  // namespace steptrace::cli
