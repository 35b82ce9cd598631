// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/capture/window_plan.h"
#include "analyze/code/stage_table.h"
#include "analyze/trace/tensor_cores.h"
#include "base/inherited_mode.h"
#include "base/result.h"
#include "cli/terminal.h"
#include "model/alert_settings.h"

namespace steptrace::cli {

// What may change while the command runs, by its file of settings.
struct LiveSettings {
  agent::WindowPlan windows;
  int64_t stack_rate = 20;
};

// What `steptrace run` was asked to do; flags, environment and steptrace.toml are merged already.
struct RunOptions {
  std::vector<std::string> command;  // what to run, never empty
  std::string name;                  // empty: made from the command
  std::filesystem::path output;      // the run's own folder; empty: <folder>/<name>-<utc>
  std::filesystem::path folder = "steptrace-runs";
  bool quiet = false;                // nothing of ours on stderr but errors; implies no report
  bool report = true;                // print the report at the end
  std::string hooks;                 // STEPTRACE_HOOKS of the command: empty (all), a list, "off"
  std::string tensors;               // STEPTRACE_TENSORS of the command (tensor_words.h)
  int64_t system_interval_ms = 500;  // 100 to 60000
  int64_t stack_rate = 20;           // a second, 0 (none) to 1000
  bool hang_watch = true;            // say while the training hangs who waits for whom
  model::AlertSettings alerts{};     // when something is reported during the run
  bool kineto = false;               // the agent is the endpoint that Kineto asks for captures
  bool keep_traces = false;          // files of profiles too, that are in the run
  agent::WindowPlan windows;         // what is captured when, beside what always is
  std::vector<std::string> redact;   // further names of secrets (base/redactor.h)
  std::map<std::string, std::string> tags;
  mode_t folder_mode = kPrivateFolder;
  std::filesystem::path shm;  // where rings lie; empty: the launcher chooses
  std::optional<double> price_per_hour;
  analyze::TensorCorePatterns tensor_cores;
  analyze::StageTable stages;
  ColorMode color = ColorMode::kAuto;
  std::filesystem::path settings_file;           // is looked at while the command runs; empty: none
  std::function<Result<LiveSettings>()> reread;  // what it says now, what flags say over it
};

}  // namespace steptrace::cli
