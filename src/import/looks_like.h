// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace steptrace::import {

struct FormatGuess {
  std::string what;      // "text", "a speedscope profile", ...
  std::string way = {};  // that works instead; empty: none is known
};

// For an error: what content that no importer takes looks like.
FormatGuess GuessFormat(std::string_view head, std::string_view name);

}  // namespace steptrace::import
