// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/settings_values.h"

// What a run does not hold, and who may read it.
namespace steptrace::cli {

// Adds names to `redact`, several with commas.
Status AddRedact(std::string_view names, Settings& settings);
// By who may read runs: owner or group.
Status SetReadableBy(std::string_view who, Settings& settings);

}  // namespace steptrace::cli
