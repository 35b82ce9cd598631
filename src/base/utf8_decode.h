// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "base/utf8.h"

namespace steptrace {

// What stands at the front of a text: a character, or a byte that is part of none.
struct Utf8Front {
  char32_t code = 0;
  size_t length = 1;
  bool valid = false;
};

// `text` is not empty.
inline Utf8Front DecodeUtf8(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t length = CharacterBytes(text);
  if (length == 0) return {};
  char32_t code = length == 1 ? byte(0) : byte(0) & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) code = code << 6 | (byte(i) & 0x3F);
  return {code, length, true};
}

}  // namespace steptrace
