// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "analyze/code/stage_table.h"
#include "analyze/report/report.h"
#include "analyze/report/step_parts.h"
#include "analyze/trace/tensor_cores.h"
#include "base/result.h"

namespace steptrace::rpc {

struct ReportRequest {
  std::optional<double> price_per_hour;
  std::optional<int64_t> last_steps;  // only the newest steps of each rank
  analyze::TensorCorePatterns tensor_cores = {};
  std::optional<int64_t> from_ns{};  // only what lies in a time range: steps and slices that begin
  std::optional<int64_t> to_ns{};    // and end in it, samples taken in it
  analyze::StageTable stages = {};   // the user's own patterns of functions
  bool beside_run =
      false;  // of a time range with few steps: name the whole run's verdict beside it
};

// The report of a run as its files stand now: closed, live and interrupted runs alike. Only reads.
Result<analyze::Report> LoadReport(const std::filesystem::path& run, const ReportRequest& options);

// The mean step of a run and its parts with their intervals.
Result<analyze::RunParts> LoadStepParts(const std::filesystem::path& run,
                                        const ReportRequest& options);

// Leaves the report as report.json in a closed run, by rename. A live run, or a folder that cannot
// be written, keeps what it has: that is no failure. A full disk is.
Status SaveReport(const std::filesystem::path& run, const analyze::Report& report);

}  // namespace steptrace::rpc
