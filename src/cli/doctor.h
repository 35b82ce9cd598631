// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "cli/health.h"

namespace steptrace::cli {

// Looks at this machine. `root` stands for / so that a test can show another machine; `shm` is the
// folder that settings name, or empty.
std::vector<HealthCheck> Examine(const std::filesystem::path& root,
                                 const std::filesystem::path& shm);

}  // namespace steptrace::cli
