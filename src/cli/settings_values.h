// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/capture/window_plan.h"
#include "analyze/code/stage_table.h"
#include "analyze/cost/cost.h"
#include "analyze/trace/tensor_cores.h"
#include "base/inherited_mode.h"
#include "model/alert_settings.h"

namespace steptrace::cli {

// What can be set once for all commands: flags win over STEPTRACE_* over steptrace.toml over these.
// Keys, types and sentences stand in one table in settings_table.cc; docs/reference/cli.md prints
// it.
struct Settings {
  std::string folder = "steptrace-runs";
  std::string color = "auto";
  std::optional<double> price_per_hour;
  std::string instance;                                    // the type of the run's machines
  std::string instance_place;                              // where it was given: for messages
  std::string editor_url = "vscode://file/{file}:{line}";  // by which pages open a source
  std::vector<analyze::InstanceType> instances;            // [[instances]]: types and their prices
  analyze::TensorCorePatterns tensor_cores;                // [tensor_cores]: names of kernels
  analyze::StageTable stages;                              // [stages]: names of functions
  std::string hooks;
  std::string tensors;                // as the hooks read it (tensor_words.h)
  std::string window;                 // as `run --window`, several with commas; empty: auto
  std::string capture = "operators";  // what windows capture
  bool kineto = false;                // the agent is the endpoint that Kineto asks
  bool keep_traces = false;           // files of profiles that are in the run
  agent::WindowBudget window_budget{};
  agent::WindowFields window_fields{};  // start_step, num_steps, start_unix_time, duration
  std::string shm;
  std::vector<std::string> redact;  // names of secrets of one's own, or kRedactNothing
  mode_t folder_mode = kPrivateFolder;
  bool disable = false;  // `run` starts its command and records nothing
  int64_t system_interval_ms = 500;
  int64_t stack_rate = 20;
  bool hang_watch = true;
  model::AlertSettings alerts{};  // alert_*: when something is reported during a run
  bool quiet = false;
  bool report = true;
  int64_t cache_mb = 2000;  // imports of `report FILE`; 0: they go to `folder`
};

}  // namespace steptrace::cli
