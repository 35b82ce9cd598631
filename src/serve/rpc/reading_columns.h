// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace steptrace::rpc {

// Steps at which somebody looked, as columns of equally many readings: what is between two readings
// is no column.
class ReadingColumns {
 public:
  ReadingColumns(const std::set<int64_t>& steps, int64_t most_columns)
      : steps_(steps.begin(), steps.end()),
        looks_(std::max<size_t>(1, (steps_.size() + static_cast<size_t>(most_columns) - 1) /
                                       static_cast<size_t>(most_columns))) {}

  size_t size() const { return (steps_.size() + looks_ - 1) / looks_; }
  size_t readings() const { return looks_; }  // of a column; the last may have fewer
  // Of a step that is one of them.
  size_t Of(int64_t step) const {
    const auto place = std::ranges::lower_bound(steps_, step) - steps_.begin();
    return static_cast<size_t>(place) / looks_;
  }
  nlohmann::ordered_json Json() const {
    nlohmann::ordered_json columns = nlohmann::ordered_json::array();
    for (size_t first = 0; first < steps_.size(); first += looks_) {
      const size_t last = std::min(first + looks_, steps_.size()) - 1;
      columns.push_back({{"from_step", steps_[first]}, {"last_step", steps_[last]}});
    }
    return columns;
  }

 private:
  std::vector<int64_t> steps_;
  size_t looks_;
};

}  // namespace steptrace::rpc
