// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace steptrace::analyze {

// Sorts by the bits of each value from `shift` on, equal ones in their order (radix sort; linear).
template <class Value, class KeyOf>
void SortByBits(std::vector<Value>& values, int shift, uint64_t range, KeyOf key_of) {
  constexpr int kBits = 11;
  constexpr size_t kBuckets = size_t{1} << kBits;
  std::vector<Value> other(values.size());
  for (; shift < 64 && range >> shift != 0; shift += kBits) {
    std::vector<uint32_t> start(kBuckets + 1, 0);
    const auto digit = [&](Value value) { return key_of(value) >> shift & (kBuckets - 1); };
    for (const Value value : values) ++start[digit(value) + 1];
    for (size_t b = 1; b <= kBuckets; ++b) start[b] += start[b - 1];
    for (const Value value : values) other[start[digit(value)]++] = value;
    values.swap(other);
  }
}

// Numbers 0 … n-1 by key_of(number), equal keys in their order. Where key and number fit 64 bits,
// the keys are sorted with them: looked up by numbers in no order, each would be fetched anew.
template <class KeyOf>
std::vector<uint32_t> StableOrder(size_t count, KeyOf key_of) {
  std::vector<uint32_t> order(count);
  if (count == 0) return order;
  int64_t low = key_of(0), high = low;
  for (size_t i = 1; i < count; ++i) {
    low = std::min<int64_t>(low, key_of(i));
    high = std::max<int64_t>(high, key_of(i));
  }
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  const auto above = [&](size_t i) {
    return static_cast<uint64_t>(key_of(i)) - static_cast<uint64_t>(low);
  };
  const auto bits = static_cast<int>(std::bit_width(count - 1));
  if (static_cast<int>(std::bit_width(range)) + bits > 64) {
    for (size_t i = 0; i < count; ++i) order[i] = static_cast<uint32_t>(i);
    SortByBits(order, 0, range, above);
    return order;
  }
  std::vector<uint64_t> keys(count);
  for (size_t i = 0; i < count; ++i) keys[i] = above(i) << bits | i;
  SortByBits(keys, bits, range << bits, [](uint64_t key) { return key; });
  const uint64_t number = (uint64_t{1} << bits) - 1;
  for (size_t i = 0; i < count; ++i) order[i] = static_cast<uint32_t>(keys[i] & number);
  return order;
}

}  // namespace steptrace::analyze
