// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "cli/health.h"

namespace steptrace::cli {

// Who else may use CUPTI in a training (src/probe/cupti_users.h), as far as the files of a Python
// show without it: whether the first of these folders of packages that holds PyTorch has its CUPTI
// monitor, and what that needs. What a training loads shows in the training alone.
HealthCheck ExamineCuptiUsers(const std::vector<std::filesystem::path>& sites);

}  // namespace steptrace::cli
