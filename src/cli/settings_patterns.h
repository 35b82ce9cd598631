// SPDX-License-Identifier: Apache-2.0
#pragma once

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <string_view>

#include "base/result.h"
#include "cli/settings.h"

namespace steptrace::cli {

// [tensor_cores] of steptrace.toml: parts of names of kernels that run on tensor cores, or only
// look so. An error names the file (`source`), the line and the key.
Status ReadTensorCores(const toml::node& node, std::string_view source, Settings& settings);

// [stages]: patterns of functions, and the stage of the data pipeline that each is.
Status ReadStages(const toml::node& node, std::string_view source, Settings& settings);

}  // namespace steptrace::cli
