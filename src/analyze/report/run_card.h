// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/profile_writers.h"

// On what a run ran and with what, and what two runs must have in common to be compared. Values;
// what nobody told is empty or nullopt.
namespace steptrace::analyze {

struct CardHost {
  int32_t node = 0;
  std::string host;
  std::optional<int64_t> cpus;
  std::optional<int64_t> allowed_cores;  // of them, to the training
  std::optional<int64_t> memory_bytes;
};

using NamedText = std::pair<std::string, std::string>;  // a setting and its value

struct RunCard {
  std::vector<CardHost> hosts;
  std::vector<std::string> devices;   // their names
  std::vector<std::string> gpus;      // of the machines, a name for each
  std::vector<NamedText> frameworks;  // name, version
  std::string python;                 // its version
  std::string cuda, hip;              // that torch was built with
  std::optional<int64_t> world_size;
  std::string backend;  // of torch.distributed
  std::optional<int64_t> batch_size;
  std::optional<int64_t> workers;  // of the training loader
  std::vector<NamedText> settings;
  std::string imported_as;                    // empty: the run was recorded
  std::vector<store::ProfileWriter> writers;  // of the profiles, as far as they are known
  std::optional<std::string> job_id;
  std::optional<int64_t> attempt;
  std::optional<std::string> git_commit;
  std::optional<bool> git_changed;
  std::vector<NamedText> tags;
};

struct Comparability {
  int64_t hosts = 0;
  std::optional<int64_t> cpus;  // of all hosts
  std::vector<std::string> devices;
  std::optional<int64_t> world_size;
  std::optional<int64_t> batch_size;
  std::string precision;  // what kernels compute in, most of their time
  std::vector<NamedText> versions;
  std::optional<double> cpu_throttled;  // share of the time
  std::optional<double> gpu_throttled;  // share of the readings
  std::vector<NamedText> settings;
};

}  // namespace steptrace::analyze
