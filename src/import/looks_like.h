// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace steptrace::import {

// For an error: what content that no importer takes looks like ("text", ...), and, where there is
// one, the way that works.
std::string LooksLike(std::string_view head);

}  // namespace steptrace::import
