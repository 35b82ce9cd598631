// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analyze/trace/intervals.h"
#include "analyze/trace/trace.h"
#include "store/packed_rows.h"
#include "store/string_table.h"

// How busy devices were that nothing sampled: of a profile all that they did is known.
namespace steptrace::analyze {

// One device of one rank, as the rank numbers it.
struct DeviceUse {
  // Fewer steps tell of a profiler's begin, or of an odd batch.
  static constexpr size_t kLeastSteps = 3;

  // A steady training step; of a rank with fewer than kLeastSteps, or with too many for so many
  // devices, all the time from the device's first work to its last.
  struct Part {
    int64_t ts_ns = 0;
    int64_t dur_ns = 0;   // over 0
    int64_t busy_ns = 0;  // of these, with a kernel, a copy or a fill under way
    int64_t data_ns = 0;  // of these, the rank waited for data
  };
  int32_t node = 0;
  int32_t rank = 0;
  int32_t device = 0;
  bool by_step = false;
  std::vector<Part> parts;  // by time
};

// Takes work in any order and holds 16 bytes of each piece that nothing before overlaps, up to
// kMostRanges of them: of more, nothing is told. A device that worked in no step is told of too:
// it was idle in all. Where devices times steps are over kMostParts, each device has one part: all
// of its time.
class DeviceUseBuilder {
 public:
  static constexpr size_t kMostRanges = size_t{1} << 23;
  static constexpr size_t kMostParts = size_t{1} << 22;  // a job of 1,024 ranks and 4,096 steps

  // A kernel, a copy or a fill.
  void Add(int32_t node, int32_t rank, int32_t device, TimeRange work);
  // Steps as the run's table holds them.
  std::vector<DeviceUse> Finish(const store::PackedSteps& steps, const store::StringTable& strings);

 private:
  struct Work {
    int32_t node = 0;
    std::vector<TimeRange> time_ranges;
  };
  void Merge(Work& work);

  std::map<std::pair<int32_t, int32_t>, Work> work_;  // by rank and device
  size_t held_ = 0;
  bool too_much_ = false;
};

// Of a profile that is at hand.
std::vector<DeviceUse> DeviceUseOf(const Trace& trace, const store::PackedSteps& steps,
                                   const store::StringTable& strings);

}  // namespace steptrace::analyze
