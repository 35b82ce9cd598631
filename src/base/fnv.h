// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace steptrace {

inline constexpr uint64_t kFnvOffset = 0xcbf29ce484222325;
inline constexpr uint64_t kFnvPrime = 0x100000001b3;

// FNV-1a, 64 bits (Fowler, Noll, Vo): of one text, or with the hash of what stands before it. Not
// against forgery, only against accident. Files and links hold what is made of it: it never
// changes.
constexpr uint64_t Fnv1a(std::string_view text, uint64_t before = kFnvOffset) {
  uint64_t hash = before;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kFnvPrime;
  return hash;
}

}  // namespace steptrace
