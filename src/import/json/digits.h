// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

// Decimal digits eight at a time, as the bytes of a word: the first character is the lowest byte.
namespace steptrace::import::json {

inline uint64_t LoadEight(const char* p) {
  uint64_t word = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&word, p, sizeof word);
  } else {
    for (size_t i = 0; i < sizeof word; ++i) {
      word |= static_cast<uint64_t>(static_cast<unsigned char>(p[i])) << (8 * i);
    }
  }
  return word;
}

// A text of one to eight characters with as many zeros ahead as it lacks. It lies in a window:
// eight bytes from its begin can be read.
inline uint64_t FirstDigits(std::string_view text) {
  constexpr uint64_t kZeros = 0x3030303030303030;
  const size_t bits = 8 * text.size();
  return LoadEight(text.data()) << (64 - bits) | kZeros >> (bits - 8) >> 8;
}

// The last eight characters of a text that is not empty, likewise.
inline uint64_t LastDigits(std::string_view text) {
  return text.size() < 8 ? FirstDigits(text) : LoadEight(text.data() + text.size() - 8);
}

// The number that eight characters are; false: not all are digits.
inline bool ParseEightDigits(uint64_t digits, uint64_t* value) {
  constexpr uint64_t kZeros = 0x3030303030303030;
  constexpr uint64_t kHighs = 0xF0F0F0F0F0F0F0F0;
  // A digit's high half is 3, and stays so with 6 added to its low half.
  if (((digits & kHighs) ^ kZeros) | (((digits + 0x0606060606060606) & kHighs) ^ kZeros)) {
    return false;
  }
  digits -= kZeros;  // pairs, then fours, then all
  digits = digits * 10 + (digits >> 8);
  constexpr uint64_t kMask = 0x000000FF000000FF;
  constexpr uint64_t kFirst = 100 + (uint64_t{1000000} << 32);
  constexpr uint64_t kSecond = 1 + (uint64_t{10000} << 32);
  *value = (((digits & kMask) * kFirst) + (((digits >> 16) & kMask) * kSecond)) >> 32;
  return true;
}

}  // namespace steptrace::import::json
