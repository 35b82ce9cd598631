// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

#include "analyze/code/stage_table.h"
#include "analyze/trace/tensor_cores.h"
#include "base/result.h"
#include "cli/terminal.h"

namespace steptrace::cli {

struct PresentOptions {
  std::optional<double> price_per_hour;
  std::optional<int64_t> last_steps{};  // only the newest steps of each rank
  std::optional<int64_t> from_ns{};     // only what begins in a time range of the run
  std::optional<int64_t> to_ns{};
  bool json = false;
  analyze::TensorCorePatterns tensor_cores;
  analyze::StageTable stages;
  ColorMode color = ColorMode::kAuto;
  std::string section;  // of SectionNames; empty: the whole report
  std::optional<int64_t> top;
};

// How commands that are printed name a run: as the next one finds it, in a shell.
std::string RunInCommands(const std::filesystem::path& run, const std::string& name);

// Loads the report of a run (closed, live or interrupted), leaves report.json in it when the run is
// closed and there is room in its folder, and prints the text form to `stream`.
Status PrintReport(const std::filesystem::path& run, const PresentOptions& options,
                   std::FILE* stream);

}  // namespace steptrace::cli
