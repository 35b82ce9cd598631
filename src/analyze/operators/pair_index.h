// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace steptrace::analyze {

// Numbers pairs of small numbers from 0 in the order in which they come. For the loops over all
// events of a profile: one probe of a flat table a look-up.
class PairIndex {
 public:
  // The pair's number; `size()` grows by one where it is new. -1 (none) is a number like others.
  int32_t Of(int32_t first, int32_t second) {
    if (pairs_.size() * 2 >= slots_.size()) Grow();
    const std::pair<int32_t, int32_t> pair{first, second};
    for (size_t slot = Hash(pair) & (slots_.size() - 1);; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot] < 0) {
        slots_[slot] = static_cast<int32_t>(pairs_.size());
        pairs_.push_back(pair);
        return slots_[slot];
      }
      if (pairs_[static_cast<size_t>(slots_[slot])] == pair) return slots_[slot];
    }
  }
  const std::pair<int32_t, int32_t>& operator[](size_t number) const { return pairs_[number]; }
  size_t size() const { return pairs_.size(); }

 private:
  static size_t Hash(const std::pair<int32_t, int32_t>& pair) {
    // Multiplication by a large odd number mixes upwards; the shift brings the mix down.
    const uint64_t both = static_cast<uint64_t>(static_cast<uint32_t>(pair.first)) << 32 |
                          static_cast<uint32_t>(pair.second);
    const uint64_t mixed = both * 0x9E3779B97F4A7C15ULL;
    return static_cast<size_t>(mixed ^ mixed >> 32);
  }

  void Grow() {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, -1);
    for (size_t i = 0; i < pairs_.size(); ++i) {
      size_t slot = Hash(pairs_[i]) & (slots_.size() - 1);
      while (slots_[slot] >= 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = static_cast<int32_t>(i);
    }
  }

  std::vector<std::pair<int32_t, int32_t>> pairs_;
  std::vector<int32_t> slots_;  // -1: free
};

}  // namespace steptrace::analyze
