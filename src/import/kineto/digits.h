// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

// Decimal digits eight at a time, as the bytes of a word of a little-endian machine: the first
// character is the lowest byte.
namespace steptrace::import {

// The last eight characters of a text that is not empty; '0' in place of those that it lacks.
inline uint64_t LastDigits(std::string_view text) {
  constexpr uint64_t kZeros = 0x3030303030303030;
  const char* p = text.data();
  const size_t size = text.size();
  uint64_t word = 0;
  if (size >= 8) {
    std::memcpy(&word, p + size - 8, sizeof word);
    return word;
  }
  if (size >= 4) {  // two fours that overlap
    uint32_t first = 0;
    uint32_t last = 0;
    std::memcpy(&first, p, sizeof first);
    std::memcpy(&last, p + size - 4, sizeof last);
    word = first | static_cast<uint64_t>(last) << (8 * (size - 4));
  } else {
    auto byte = [p](size_t at) {
      return static_cast<uint64_t>(static_cast<unsigned char>(p[at])) << (8 * at);
    };
    word = byte(0) | byte(size / 2) | byte(size - 1);  // some of them twice
  }
  return word << (64 - 8 * size) | kZeros >> (8 * size);
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

}  // namespace steptrace::import
