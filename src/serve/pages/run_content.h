// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "analyze/report/report.h"
#include "base/result.h"

namespace steptrace::pages {

// What a page holds of a run (ui/README.md): the report, the steps one by one where they are not
// too many for a page to mail, and when checkpoints were saved.
Result<std::string> RunContent(const std::filesystem::path& run, const analyze::Report& report);

}  // namespace steptrace::pages
