// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace steptrace::analyze {

// Numbers 0 … n-1 by key_of(number), equal keys in their order (radix sort; linear).
template <class KeyOf>
std::vector<uint32_t> StableOrder(size_t count, KeyOf key_of) {
  std::vector<uint32_t> order(count);
  for (size_t i = 0; i < count; ++i) order[i] = static_cast<uint32_t>(i);
  if (count == 0) return order;
  int64_t low = key_of(0), high = low;
  for (size_t i = 1; i < count; ++i) {
    low = std::min<int64_t>(low, key_of(i));
    high = std::max<int64_t>(high, key_of(i));
  }
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  constexpr int kBits = 11;
  constexpr size_t kBuckets = size_t{1} << kBits;
  std::vector<uint32_t> other(count);
  for (int shift = 0; shift < 64 && range >> shift != 0; shift += kBits) {
    std::vector<uint32_t> start(kBuckets + 1, 0);
    auto digit = [&](uint32_t i) {
      return (static_cast<uint64_t>(key_of(i)) - static_cast<uint64_t>(low)) >> shift &
             (kBuckets - 1);
    };
    for (uint32_t i : order) ++start[digit(i) + 1];
    for (size_t b = 1; b <= kBuckets; ++b) start[b] += start[b - 1];
    for (uint32_t i : order) other[start[digit(i)]++] = i;
    order.swap(other);
  }
  return order;
}

}  // namespace steptrace::analyze
