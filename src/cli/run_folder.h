// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/run_options.h"

// The name and the folder of a run about to be recorded.
namespace steptrace::cli {

// The script's base name without its extension: train of `torchrun --nproc-per-node 2 train.py`,
// pkg.train of `python -m pkg.train`, else the program's own.
std::string NameOfCommand(const std::vector<std::string>& command);

// `text` as a part of a path: letters, digits and ._- alone, never hidden, never empty, short.
std::string SafeName(const std::string& text);

// 20260131T081502Z
std::string CompactUtc(int64_t utc_ns);

struct RunFolder {
  std::filesystem::path path;   // absolute
  std::filesystem::path shown;  // as the user would write it
  std::string id;  // unique over runs and machines: the folder's name and a random tail
  std::string name;
};

// In the folder: what the agent says on its stderr.
inline constexpr const char* kAgentLog = "agent.log";

// Makes the folder: options.output (which may exist, empty), or a new one below options.folder. It
// is this run's alone: of two that ask for one folder at once, one is refused.
Result<RunFolder> MakeRunFolder(const RunOptions& options, int64_t utc_ns);

}  // namespace steptrace::cli
