// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/capture/window_plan.h"
#include "agent/run/agent_options.h"
#include "analyze/code/stage_table.h"
#include "analyze/cost/cost.h"
#include "analyze/trace/tensor_cores.h"
#include "base/inherited_mode.h"
#include "base/result.h"
#include "cli/settings_limits.h"
#include "cli/terminal.h"

namespace steptrace::cli {

// What can be set once for all commands: flags win over STEPTRACE_* over steptrace.toml over these.
// Keys, types and sentences stand in one table in settings.cc; docs/reference/cli.md prints it.
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
  std::string window;                 // as `run --window`, several with commas; empty: auto
  std::string capture = "operators";  // what windows capture
  bool kineto = false;                // the agent is the endpoint that Kineto asks
  bool keep_traces = false;           // files of profiles that are in the run
  agent::WindowBudget window_budget{};
  agent::WindowFields window_fields{};  // start_step, num_steps, start_unix_time, duration
  std::string shm;
  std::vector<std::string> redact;  // names of secrets of one's own, or kRedactNothing
  mode_t folder_mode = kPrivateFolder;
  int64_t system_interval_ms = 500;
  int64_t stack_rate = 20;
  bool hang_watch = true;
  bool quiet = false;
  bool report = true;
  int64_t cache_mb = 2000;  // imports of `report FILE`; 0: they go to `folder`
};

// The value of an environment variable; nullopt: not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;
Environment ProcessEnvironment();

// The file of settings, which need not be there: STEPTRACE_CONFIG, else ./steptrace.toml.
std::filesystem::path SettingsFile(const Environment& environment);

// Reads the file of settings (where STEPTRACE_CONFIG names one, it must be there), then the
// environment over it. An unknown key, a wrong type or a value out of range is an error that names
// the file, the line and the key.
Result<Settings> LoadSettings(const Environment& environment);

// The same on given text; `source` names it in messages.
Status ApplyToml(std::string_view text, std::string_view source, Settings& settings);
Status ApplyEnvironment(const Environment& environment, Settings& settings);

// Whether the type of machine that was named is one of those listed; no name always is. For
// commands that make use of it, once flags have been read.
Status CheckInstance(const Settings& settings);

// Adds names to `redact`, several with commas.
Status AddRedact(std::string_view names, Settings& settings);
// By who may read runs: owner or group.
Status SetReadableBy(std::string_view who, Settings& settings);

// The STEPTRACE_* of an environment ("NAME=value") that nothing of ours reads: misspelt, perhaps.
std::vector<std::string> UnknownVariables(const std::vector<std::string>& environment);
std::string KnownVariables();  // those that set something, with commas

// A setting, its value now, and where that comes from: a variable, the file, or the default.
struct SettingInForce {
  std::string key, value, from;
};
std::vector<SettingInForce> SettingsInForce(const Settings& settings,
                                            const Environment& environment);

// The table of settings as Markdown.
std::string SettingsMarkdown();

}  // namespace steptrace::cli
