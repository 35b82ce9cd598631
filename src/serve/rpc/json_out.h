// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace steptrace::rpc {

// An answer's text: inert, and valid whatever bytes the run's texts have.
std::string ToText(const nlohmann::ordered_json& json);

}  // namespace steptrace::rpc
