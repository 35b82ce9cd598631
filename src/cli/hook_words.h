// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"

namespace steptrace::cli {

// The hooks that a training may get, by the words of STEPTRACE_HOOKS and --hooks: those of
// schema/hooks.toml.
std::span<const std::string_view> HookWords();

// Empty or "all": all of them; "off": none; else a comma list of words. What is none of that is an
// error, which says only what is wrong with the text: "is …".
Status CheckHooks(std::string_view text);

}  // namespace steptrace::cli
