// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace steptrace::agent {

// `text` as valid UTF-8: each byte that is part of no character becomes U+FFFD. Control characters
// stay as they are: stores keep what the script said, presentations escape it.
std::string ToValidUtf8(std::string_view text);

}  // namespace steptrace::agent
