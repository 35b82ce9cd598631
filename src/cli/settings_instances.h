// SPDX-License-Identifier: Apache-2.0
#pragma once

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <string_view>
#include <vector>

#include "analyze/cost/cost.h"
#include "base/result.h"

namespace steptrace::cli {

// [[instances]] of steptrace.toml: what machines there are, and what an hour of each costs. An
// error names the file (`source`), the line and the key.
Result<std::vector<analyze::InstanceType>> ReadInstances(const toml::node& node,
                                                         std::string_view source);

// Whether one of the types has this name; no name is no error. `place`: where it was given.
Status CheckInstanceName(std::string_view name, std::string_view place,
                         const std::vector<analyze::InstanceType>& types);

}  // namespace steptrace::cli
