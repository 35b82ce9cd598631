// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace steptrace::import::json {

// The error of a text that is nested more than `max_depth` deep.
Error TooDeep(const std::string& name, int32_t max_depth, int64_t position);

// Whether the begin of a file is JSON beyond the depth that may be read.
bool IsTooDeep(std::string head, int32_t max_depth);

}  // namespace steptrace::import::json
