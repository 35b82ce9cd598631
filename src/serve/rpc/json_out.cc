// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/json_out.h"

#include <nlohmann/json.hpp>

#include "base/inert_text.h"

namespace steptrace::rpc {

std::string ToText(const nlohmann::ordered_json& json) {
  return InertJson(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace steptrace::rpc
