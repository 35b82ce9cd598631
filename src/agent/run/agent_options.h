// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/capture/window_plan.h"
#include "base/result.h"
#include "model/alert_settings.h"

namespace steptrace::agent {

// Beyond it a sample takes longer than its period.
inline constexpr int64_t kMaxStackRate = 1000;

// What the launcher tells the agent at its start.
struct AgentOptions {
  std::filesystem::path run_dir;   // exists, empty
  std::filesystem::path ring_dir;  // exists, 0700, ours
  std::string run_id;
  std::string run_name;
  int64_t sample_interval_ms = 500;
  WindowPlan windows;
  int64_t stack_rate = 20;  // samples of each thread's stack a second; 0: none
  bool hang_watch = true;
  model::AlertSettings alerts{};
  bool keep_traces = false;  // profiles that are in the run stay as files too
  // Further names of secrets, or that they are stored too (base/redactor.h).
  std::vector<std::string> redact;
  std::map<std::string, std::string> tags;  // of the run
  int control_fd = -1;                      // socket pair to the launcher (control_channel.h)
  int kineto_fd = -1;  // the socket in kineto_dir (kineto_endpoint.h); -1: none
  std::filesystem::path kineto_dir;
  int lock_fd = -1;  // holds the lock of the ring folder while the agent lives (ring_folder.h)
  std::vector<std::string> command;
};

std::vector<std::string> ToArguments(const AgentOptions& options);

// What may change while the agent runs (windows, their kinds and budget, the rate of stacks): as
// one line, and taken over from one. A line that is wrong in any part changes nothing: false.
std::string ChangesText(const AgentOptions& options);
bool ApplyChanges(std::string_view text, AgentOptions& options);

Result<AgentOptions> ParseArguments(const std::vector<std::string>& arguments);

}  // namespace steptrace::agent
