// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace steptrace {

// What stands for a character that is none.
inline constexpr uint32_t kReplacementCharacter = 0xFFFD;

// A character as UTF-8; a number that is none (half of a surrogate pair, beyond U+10FFFF) as the
// replacement character.
inline void AppendUtf8(uint32_t code, std::string& text) {
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = kReplacementCharacter;
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | code >> 12);
    tail(6), tail(0);
  } else {
    text += static_cast<char>(0xF0 | code >> 18);
    tail(12), tail(6), tail(0);
  }
}

// Whether a byte belongs to the character that began before it.
inline bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// The bytes of the whole characters at the front of a text that are `most` bytes at most; the text
// has more. Bytes that are no UTF-8 end anywhere.
inline size_t WholeCharacters(std::string_view text, size_t most) {
  constexpr size_t kMostBytes = 4;  // of a character
  size_t end = most;
  for (size_t back = 0; back < kMostBytes && end > 0; ++back, --end) {
    if (!IsContinuation(text[end])) return end;
  }
  return most;
}

// Bytes of the character at the front of a text that is not empty; 0: there is none. No overlong
// form, no surrogate, nothing beyond U+10FFFF is one: all of them show in the second byte.
inline size_t CharacterBytes(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (text.size() < length) return 0;
  const uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (!IsContinuation(text[i])) return 0;
  }
  return length;
}

inline bool IsUtf8(std::string_view text) {
  bool ascii = true;  // nearly always; without a way out the loop is one of vectors
  for (char c : text) ascii &= static_cast<signed char>(c) >= 0;
  while (!ascii && !text.empty()) {
    const size_t length = CharacterBytes(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// Each byte that is part of no character becomes the replacement character. Control characters
// stay: presentations escape them. Different texts may become the same one: clean first, then
// number.
inline std::string CleanUtf8(std::string_view text) {
  if (IsUtf8(text)) return std::string(text);
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const size_t length = CharacterBytes(text);
    if (length == 0) {
      AppendUtf8(kReplacementCharacter, clean);
    } else {
      clean += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return clean;
}

}  // namespace steptrace
