// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What the report says of the framework's memory. Values, in bytes.
namespace steptrace::analyze {

// "Size increase" sums what was allocated less what was released, "allocation" what was allocated.
// Of a call: with the calls nested in it; its self figures are of records in no nested operator.
struct MemoryOperator {
  std::string name;   // empty: in no operator, as far as the profile tells
  int64_t calls = 0;  // calls with a record in them
  int64_t size_increase_bytes = 0;
  int64_t self_size_increase_bytes = 0;
  int64_t allocations = 0;
  int64_t self_allocations = 0;
  int64_t allocated_bytes = 0;
  int64_t self_allocated_bytes = 0;
};

// An allocation and its release, paired by address; a side that the profile does not hold is none.
struct MemoryBlock {
  std::string operator_name;  // of the allocation, else of the release
  std::string caller;         // the next operator around it
  int64_t bytes = 0;
  std::optional<int64_t> allocated_ns;
  std::optional<int64_t> released_ns;
  // When it was gone at the latest: released, or else its address was allocated again.
  std::optional<int64_t> released_by_ns;
};

struct MemoryPoint {
  int64_t ts_ns = 0;
  int64_t allocated_bytes = 0;
  int64_t reserved_bytes = 0;
};

struct MemoryHolder {
  std::string operator_name;
  int64_t blocks = 0;
  int64_t bytes = 0;
};

// An operator whose blocks from the steps add up: the bytes of them that live at the end of a step
// grew with each step after the first.
struct MemoryLeak {
  std::string operator_name;
  int64_t bytes = 0;           // from the end of the first step to the end of the last
  int64_t bytes_per_step = 0;  // median slope (Theil 1950, Sen 1968), to the nearest byte
};

struct MemoryStep {
  int64_t number = 0;
  int64_t allocated_bytes = 0;
  int64_t kept_bytes = 0;  // of those, not released by the end of the step
  int64_t held_bytes = 0;  // of all blocks since the first step, live at the end of this one
};

enum class LeakStatus { kNoLeak, kFound, kTooFewSteps, kNoAddresses };

struct MemoryDevice {
  int32_t rank = 0;
  int32_t device = -1;
  int64_t records = 0;
  int64_t without_address = 0;            // cannot be paired
  std::vector<MemoryOperator> operators;  // the most allocated first
  int64_t blocks_paired = 0;
  int64_t blocks_reused = 0;      // without a release, but their address was allocated again
  int64_t blocks_unreleased = 0;  // live at the end of the profile
  int64_t bytes_unreleased = 0;
  int64_t blocks_released_only = 0;  // allocated before the profile
  std::vector<MemoryBlock> blocks;   // the largest, by size then time
  // Without totals in the profile the curve counts from 0 at its begin.
  bool from_zero = false;
  std::vector<MemoryPoint> curve;  // reduced: first, last and extremes of each time range stay
  MemoryPoint peak;                // the first moment with most allocated; exact
  int64_t peak_reserved_bytes = 0;
  std::vector<MemoryHolder> at_peak;  // blocks seen allocated and live then, by operator
  LeakStatus leak_status = LeakStatus::kTooFewSteps;
  std::vector<MemoryStep> steps;
  std::vector<MemoryLeak> leaks;  // the most bytes first
};

// Calls of the driver's allocator, which synchronise the device: in steps after the first each is
// one that the framework's cache did not spare.
struct AllocatorCall {
  int32_t rank = 0;
  std::string name;
  int64_t calls = 0;
  int64_t total_ns = 0;
  int64_t max_ns = 0;
  int64_t steady_calls = 0;  // in steps after the first
  int64_t steady_ns = 0;
};

struct MemorySection {
  std::vector<MemoryDevice> devices;     // by rank, then device
  std::vector<AllocatorCall> allocator;  // by rank, then the most time first
};

}  // namespace steptrace::analyze
