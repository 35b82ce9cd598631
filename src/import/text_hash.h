// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace steptrace::import {

// Of this process alone, by chance: nobody can write a file whose texts all collide.
uint64_t HashSeed();

// 16 bytes a multiplication, folded to 64 bits, as wyhash does (github.com/wangyi-fudan/wyhash).
inline uint64_t HashText(std::string_view text, uint64_t seed) {
  __extension__ using Wide = unsigned __int128;
  constexpr uint64_t kFirst = 0xa0761d6478bd642f;
  constexpr uint64_t kSecond = 0xe7037ed1a0b428db;
  auto mix = [](uint64_t a, uint64_t b) {
    Wide product = static_cast<Wide>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  };
  auto load = [](const char* p, size_t bytes) {
    uint64_t value = 0;
    std::memcpy(&value, p, bytes);
    return value;
  };
  const char* p = text.data();
  size_t left = text.size();
  seed ^= text.size() * kFirst;
  for (; left > 16; left -= 16, p += 16) {
    seed = mix(load(p, 8) ^ kFirst, load(p + 8, 8) ^ seed);
  }
  uint64_t a = 0;
  uint64_t b = 0;
  if (left >= 8) {
    a = load(p, 8);
    b = load(p + left - 8, 8);
  } else if (left >= 4) {
    a = load(p, 4);
    b = load(p + left - 4, 4);
  } else if (left > 0) {
    a = static_cast<unsigned char>(p[0]) | static_cast<uint64_t>(load(p + left / 2, 1)) << 8 |
        static_cast<uint64_t>(load(p + left - 1, 1)) << 16;
  }
  return mix(a ^ kSecond, b ^ seed ^ kFirst);
}

}  // namespace steptrace::import
