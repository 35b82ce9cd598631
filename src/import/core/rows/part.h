// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/fnv.h"
#include "import/core/rows/fact_rows.h"
#include "import/core/rows/losses.h"
#include "import/core/rows/part_facts.h"
#include "import/core/rows/part_rows.h"
#include "import/core/rows/sorted_rows.h"
#include "import/core/rows/spill_file.h"
#include "store/tables.h"

// What PartSink fills and RunSink writes; nobody else sees it.
namespace steptrace::import {

// Bounds of the times of a part, by its own clock.
struct Bounds {
  int64_t first_ns = std::numeric_limits<int64_t>::max();
  int64_t last_ns = std::numeric_limits<int64_t>::min();

  void Take(int64_t from_ns, int64_t to_ns) {
    first_ns = std::min(first_ns, from_ns);
    last_ns = std::max(last_ns, to_ns);
  }
  void Take(const Bounds& other) {
    if (!other.empty()) Take(other.first_ns, other.last_ns);
  }
  bool empty() const { return first_ns > last_ns; }
};

// Whether times plus the distance of their clock to UTC stay where sums of two do not overflow.
inline bool IsDate(const Bounds& bounds, int64_t offset_ns) {
  constexpr int64_t kMostNs = int64_t{1} << 62;  // the year 2116
  for (const int64_t ns : {bounds.first_ns, bounds.last_ns}) {
    int64_t date = 0;
    if (__builtin_add_overflow(ns, offset_ns, &date) || date >= kMostNs || date <= -kMostNs) {
      return false;
    }
  }
  return offset_ns < kMostNs && offset_ns > -kMostNs;
}

// Tells a part's rows from others of the same number and bounds, in whatever order they came.
class Content {
 public:
  template <class... Numbers>
  void Take(Numbers... numbers) {
    uint64_t hash = kFnvOffset;
    ((hash = (hash ^ static_cast<uint64_t>(numbers)) * kFnvPrime, hash ^= hash >> 32), ...);
    sum_ += hash;
  }
  void Take(const Content& other) { sum_ += other.sum_; }
  uint64_t sum() const { return sum_; }

 private:
  uint64_t sum_ = 0;
};

struct Part {
  PartFacts facts;
  Bounds bounds;
  Bounds other_bounds;  // of what is no slice
  Content content;
  PartRows slices;
  SortedRows<Flow> flows;
  SortedRows<store::CounterRow> counters;
  SortedRows<store::MemoryRow> memory;
  SortedRows<store::StepRow> steps;
  FactRows fact_rows;
  std::vector<store::TrackRow> tracks;
  std::map<std::string, std::string> versions;
  Losses losses;
  int64_t rows = 0;         // of all tables
  int64_t row_bytes = 0;    // of slices in memory
  int64_t other_bytes = 0;  // of flows, counters, memory, steps and facts there
  int32_t rank = -1;        // as it will be stored
  int32_t first_track = 0;  // as they will be stored
  int64_t shift_ns = 0;     // from its own clock to the run's
  bool left_out = false;    // refused, or the same profile as another part
  bool is_double = false;   // the latter
};

// Moves the rows of a part that are no slices to the file. Under the lock of the run.
Status SpillOthers(Part& part, SpillFile& file);
// No rows follow: gives up memory that is not filled.
void TrimOthers(Part& part);

}  // namespace steptrace::import
