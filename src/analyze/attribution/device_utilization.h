// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analyze/input/report_input.h"

namespace steptrace::analyze {

// How busy a rank's device was, from its utilisation counter alone. A sample speaks for the
// time range since the one before it, so a step shorter than the period gets that time range's
// share.
class DeviceUtilization {
 public:
  DeviceUtilization() = default;
  // `ranks_by_node` are the ranks of each node in order: the n-th rank of a node uses its n-th
  // device. A single rank is taken to use the node's busiest one. Not where `device_of_rank` tells.
  DeviceUtilization(std::span<const CounterSeries> counters,
                    const std::map<int32_t, std::vector<int32_t>>& ranks_by_node,
                    const std::map<int32_t, int32_t>& device_of_rank = {});

  // 0 to 1; empty where no device of that rank is known for that time range.
  std::optional<double> Share(int32_t rank, int64_t from_ns, int64_t to_ns) const;
  bool any() const { return !by_rank_.empty(); }

 private:
  struct Line {
    std::vector<int64_t> times_ns;
    std::vector<double> integral_ns;  // busy ns up to that time
  };
  static Line Integrate(const CounterSeries& series);
  static double BusyUntil(const Line& line, int64_t at_ns);

  std::map<int32_t, Line> by_rank_;
};

}  // namespace steptrace::analyze
