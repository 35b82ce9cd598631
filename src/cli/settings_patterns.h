// SPDX-License-Identifier: Apache-2.0
#pragma once

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <string_view>

#include "analyze/code/stage_table.h"
#include "analyze/trace/tensor_cores.h"
#include "base/result.h"

namespace steptrace::cli {

// [tensor_cores] of steptrace.toml: parts of names of kernels that run on tensor cores, or only
// look so. An error names the file (`source`), the line and the key.
Result<analyze::TensorCorePatterns> ReadTensorCores(const toml::node& node,
                                                    std::string_view source);

// [stages]: patterns of functions, and the stage of the data pipeline that each is.
Result<analyze::StageTable> ReadStages(const toml::node& node, std::string_view source);

}  // namespace steptrace::cli
