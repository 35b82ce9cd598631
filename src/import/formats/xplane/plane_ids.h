// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/text_hash.h"

namespace steptrace::import::xplane {

// Places in a list by the ids that a plane gives them. Writers count from 1, so that nearly all ids
// are found without a hash; a file may hold any.
class PlaneIds {
 public:
  // -1: there is none.
  int32_t Find(int64_t id) const {
    if (id >= 0 && id < static_cast<int64_t>(small_.size()) &&
        small_[static_cast<size_t>(id)] >= 0) {
      return small_[static_cast<size_t>(id)];
    }
    if (others_.empty()) return -1;
    const auto found = others_.find(id);
    return found == others_.end() ? -1 : found->second;
  }

  // Of an id that comes twice the first counts: it was found before.
  void Put(int64_t id, int32_t place) {
    if (Find(id) >= 0) return;
    ++count_;
    if (id < 0 || id >= static_cast<int64_t>(kSlots * count_ + kFirstSlots)) {
      others_.emplace(id, place);
      return;
    }
    const auto at = static_cast<size_t>(id);
    if (at >= small_.size()) small_.resize(kSlots * count_ + kFirstSlots, -1);
    small_[at] = place;
  }

 private:
  static constexpr size_t kSlots = 2;  // an entry
  static constexpr size_t kFirstSlots = 16;

  std::vector<int32_t> small_;
  SeededMap<int64_t, int32_t> others_;
  size_t count_ = 0;
};

}  // namespace steptrace::import::xplane
