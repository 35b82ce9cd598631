// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace steptrace::analyze {

// `*` in the pattern is any text, also none. No other character is special.
bool FitsGlob(std::string_view text, std::string_view pattern);

}  // namespace steptrace::analyze
