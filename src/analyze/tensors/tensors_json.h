// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analyze/tensors/tensors_section.h"

namespace steptrace::analyze {

// The members of the report's section `tensors`, but for what every section has.
nlohmann::ordered_json TensorsJson(const TensorsSection& section);
nlohmann::ordered_json TensorRuleJson(const TensorRuleResult& rule);

}  // namespace steptrace::analyze
