// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace steptrace::cli {

// A kernel's name in at most `columns`: what it does stays, what it takes goes first. Parameters,
// "void" and anonymous namespaces go; then the middle of the template's arguments; then the
// namespaces before the function. `name` is safe text.
std::string ShortKernelName(std::string_view name, int columns, bool unicode);

// A name in at most `columns`, cut in the middle: operators often differ at their ends alone.
// `name` is safe text.
std::string CutMiddle(std::string_view name, int columns, bool unicode);

}  // namespace steptrace::cli
