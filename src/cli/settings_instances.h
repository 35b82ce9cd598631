// SPDX-License-Identifier: Apache-2.0
#pragma once

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <string_view>

#include "base/result.h"
#include "cli/settings.h"

namespace steptrace::cli {

// [[instances]] of steptrace.toml: what machines there are, and what an hour of each costs. An
// error names the file (`source`), the line and the key.
Status ReadInstances(const toml::node& node, std::string_view source, Settings& settings);

}  // namespace steptrace::cli
