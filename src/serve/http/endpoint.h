// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http/endpoint_list.h"

namespace steptrace::http {

// What stands between a path's slashes.
std::vector<std::string> SplitPath(std::string_view path);

// What is asked for by a path of these parts; nothing: the server answers no such.
std::optional<Endpoint> EndpointOf(const std::vector<std::string>& parts);

}  // namespace steptrace::http
