// SPDX-License-Identifier: Apache-2.0
#include "serve/pages/run_content.h"

#include <fmt/format.h>

#include <cstddef>

#include "analyze/report/report_json.h"
#include "serve/pages/step_columns_json.h"

namespace steptrace::pages {
namespace {

// A page with names of a megabyte stands still. Longer than in the server's pages, for nobody can
// be asked for the rest: what the page shows on hover.
constexpr size_t kMaxTextBytes = 4096;

}  // namespace

Result<std::string> RunContent(const std::filesystem::path& run, const analyze::Report& report) {
  STEPTRACE_ASSIGN_OR_RETURN(const std::string steps, StepColumns(run));
  STEPTRACE_ASSIGN_OR_RETURN(const std::string checkpoints, CheckpointColumns(run));
  std::string content =
      fmt::format("{{\"report\":{}", analyze::ReportToJson(report, kMaxTextBytes));
  if (!steps.empty()) content += fmt::format(",\"steps\":{}", steps);
  if (!checkpoints.empty()) content += fmt::format(",\"checkpoints\":{}", checkpoints);
  return content + "}";
}

}  // namespace steptrace::pages
