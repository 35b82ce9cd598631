// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace steptrace::rpc {

// Two runs, row by row: the step, its phases, suspects and stages; docs/reference/http.md.
Result<std::string> CompareJson(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace steptrace::rpc
