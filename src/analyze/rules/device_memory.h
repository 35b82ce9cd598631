// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "store/packed_rows.h"
#include "store/string_table.h"
#include "store/tables.h"

// How much of a device's memory a rank's tensors held that nothing sampled: a profile with memory
// records tells each allocation.
namespace steptrace::analyze {

// One device of one rank, as the rank numbers it.
struct DeviceMemory {
  // A training's first steps allocate what stays: of so many they no longer make the slope.
  static constexpr size_t kLeastSteps = 5;

  // A steady training step from the first record on.
  struct Part {
    int64_t ts_ns = 0;
    int64_t dur_ns = 0;
    int64_t peak_bytes = 0;  // allocated within it, at most
  };
  int32_t rank = 0;
  int32_t node = 0;
  int32_t device = 0;
  int64_t capacity_bytes = 0;  // 0: the profile does not tell it
  bool above_begin = false;    // bytes are above what was held when the records begin
  std::vector<Part> parts;     // by time
};

// Takes records in any order and holds 24 bytes of each, up to kMostRecords of them: of more,
// nothing is told.
class DeviceMemoryBuilder {
 public:
  static constexpr size_t kMostRecords = size_t{1} << 22;

  void Add(std::span<const store::MemoryRow> rows);
  // Steps and facts as the run's tables hold them.
  std::vector<DeviceMemory> Finish(const store::PackedSteps& steps,
                                   std::span<const store::RunMetadataRow> facts,
                                   const store::StringTable& strings);

 private:
  struct Record {
    int64_t ts_ns = 0;
    int64_t bytes = 0;
    int64_t total_bytes = 0;  // after it; kNoTotal: not reported
  };
  static constexpr int64_t kNoTotal = -1;
  static std::vector<DeviceMemory::Part> PeaksOf(std::vector<Record>& records,
                                                 std::vector<DeviceMemory::Part> steps);

  std::map<std::pair<int32_t, int32_t>, std::vector<Record>> records_;  // by rank and device
  size_t held_ = 0;
};

}  // namespace steptrace::analyze
