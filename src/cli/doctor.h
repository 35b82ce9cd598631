// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace steptrace::cli {

enum class Health { kOk, kLimited, kMissing };

// One thing that Steptrace can collect or needs: whether it is so here, why not, and what to do.
struct Finding {
  std::string subject;
  Health health = Health::kOk;
  std::string detail;
  std::string next_step;  // empty: nothing to do
};

// Looks at this machine. `root` stands for / so that a test can show another machine; `shm` is the
// folder that settings name, or empty.
std::vector<Finding> Examine(const std::filesystem::path& root, const std::filesystem::path& shm);

}  // namespace steptrace::cli
