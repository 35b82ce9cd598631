// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "serve/rpc/table.h"

namespace steptrace::cli {

// A text as a JSON string, quotes included; what is hidden in it as escapes. Bytes that are no
// UTF-8 become U+FFFD.
std::string JsonString(std::string_view text);

// A cell as JSON and as text. Integers are exact; decimals are the shortest text that reads back to
// the same value; a null is `null` and an empty text; what is not a number is null in JSON.
std::string JsonCell(const rpc::Cell& cell);
std::string TextCell(const rpc::Cell& cell);

// 1.5 s, 12 min 3 s, 3 h 20 min: for people, not for arithmetic.
std::string ShortDuration(int64_t ns);

// 2026-11-21 09:30:00Z
std::string UtcTime(int64_t utc_ns);

}  // namespace steptrace::cli
