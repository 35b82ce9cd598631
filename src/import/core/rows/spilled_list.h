// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "import/core/rows/spill_file.h"

namespace steptrace::import {

// A list that goes to a file whenever so many of its items are in memory.
template <class T>
class SpilledList {
  static_assert(std::is_trivially_copyable_v<T>, "items go to the file as they are");

 public:
  Status Append(const T& item, size_t most_in_memory, SpillFile& file) {
    items_.push_back(item);
    if (items_.size() < most_in_memory) return {};
    Extent extent{0, items_.size()};
    STEPTRACE_RETURN_IF_ERROR(file.Append(items_.data(), items_.size() * sizeof(T), &extent.at));
    extents_.push_back(extent);
    items_.clear();
    return {};
  }

  // Calls take(item) for each, in the order in which they came, and forgets them.
  template <class F>
  Status Take(const SpillFile& file, F&& take) {
    const std::vector<T> last = std::exchange(items_, {});
    std::vector<T> items;
    for (const Extent& extent : std::exchange(extents_, {})) {
      items.resize(extent.count);
      STEPTRACE_RETURN_IF_ERROR(file.Read(extent.at, items.data(), items.size() * sizeof(T)));
      for (const T& item : items) take(item);
    }
    for (const T& item : last) take(item);
    return {};
  }

 private:
  struct Extent {
    int64_t at;
    size_t count;
  };

  std::vector<T> items_;
  std::vector<Extent> extents_;
};

}  // namespace steptrace::import
