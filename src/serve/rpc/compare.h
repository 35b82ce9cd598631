// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "analyze/report/comparison.h"
#include "base/result.h"
#include "serve/rpc/load_report.h"

namespace steptrace::rpc {

// Two runs as their files stand now, part by part.
Result<analyze::Comparison> LoadComparison(const std::filesystem::path& a,
                                           const std::filesystem::path& b,
                                           const ReportRequest& options);

// The same as JSON, {runs, sentence, note, rows[]} of docs/reference/http.md.
Result<std::string> CompareJson(const std::filesystem::path& a, const std::filesystem::path& b,
                                const ReportRequest& options);

}  // namespace steptrace::rpc
