// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace steptrace::import::json {

// \uXXXX, with its second half where it is the first of a character beyond U+FFFF.
struct UnicodeEscape {
  size_t used = 0;  // characters that it took; 0: it is none
  uint32_t code = 0;
  bool half = false;  // of a character, whose other half is not there
};

// The four hexadecimal digits at `at`.
inline std::optional<uint32_t> FourHexDigits(std::string_view text, size_t at) {
  if (at + 4 > text.size()) return std::nullopt;
  uint32_t code = 0;
  for (const char c : text.substr(at, 4)) {
    const char lower = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9') {
      code = code * 16 + static_cast<uint32_t>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      code = code * 16 + static_cast<uint32_t>(lower - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return code;
}

// `at`: behind the u.
inline UnicodeEscape ReadUnicodeEscape(std::string_view text, size_t at) {
  const auto first = FourHexDigits(text, at);
  if (!first) return {};
  if (*first < 0xD800 || *first >= 0xE000) return {4, *first, false};
  if (*first < 0xDC00 && text.substr(at + 4, 2) == "\\u") {
    const auto second = FourHexDigits(text, at + 6);
    if (second && *second >= 0xDC00 && *second < 0xE000) {
      return {10, 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00), false};
    }
  }
  return {4, *first, true};
}

}  // namespace steptrace::import::json
