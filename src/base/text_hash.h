// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/random.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

#include "base/time.h"

// Hashes for what strangers write. Those of the standard library are the same in every process, and
// of a number they are the number: a file can be written whose keys all fall into one bucket, and a
// table of them takes quadratic time.
namespace steptrace {

// Random for each process, so that no file can be written whose texts all collide.
inline uint64_t HashSeed() {
  static const uint64_t seed = [] {
    uint64_t bits = 0;
    if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof bits)) {
      bits = static_cast<uint64_t>(MonotonicNowNs());
    }
    return bits;
  }();
  return seed;
}

// The product of two numbers, folded to 64 bits. The numbers stay in it: one that is 0 would make
// all others of its place the same, whatever the seed.
inline uint64_t FoldedProduct(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return a ^ b ^ static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// 16 bytes a multiplication, as wyhash does (github.com/wangyi-fudan/wyhash).
inline uint64_t HashText(std::string_view text, uint64_t seed) {
  constexpr uint64_t kFirst = 0xa0761d6478bd642f;
  constexpr uint64_t kSecond = 0xe7037ed1a0b428db;
  auto load = [](const char* p, size_t bytes) {
    uint64_t value = 0;
    std::memcpy(&value, p, bytes);
    return value;
  };
  const char* p = text.data();
  size_t left = text.size();
  seed ^= text.size() * kFirst;
  for (; left > 16; left -= 16, p += 16) {
    seed = FoldedProduct(load(p, 8) ^ kFirst, load(p + 8, 8) ^ seed);
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
  return FoldedProduct(a ^ kSecond, b ^ seed ^ kFirst);
}

inline uint64_t HashNumber(uint64_t number, uint64_t seed) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  return FoldedProduct(FoldedProduct(number ^ seed, kOdd), seed ^ kOdd);
}

// Of texts, numbers and enumerators.
struct SeededHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return HashText(text, HashSeed()); }
  template <class T>
  requires std::integral<T> || std::is_enum_v<T> size_t operator()(T number) const {
    return HashNumber(static_cast<uint64_t>(number), HashSeed());
  }
};

// Tables whose keys a stranger chose.
template <class Key, class Value>
using SeededMap = std::unordered_map<Key, Value, SeededHash, std::equal_to<>>;
template <class Key>
using SeededSet = std::unordered_set<Key, SeededHash, std::equal_to<>>;

}  // namespace steptrace
