// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fnv.h"
#include "import/bytes/byte_stream.h"
#include "import/fact_rows.h"
#include "import/part_rows.h"
#include "import/part_sink.h"
#include "import/sorted_rows.h"
#include "import/spill_file.h"

// What PartSink fills and RunSink writes; nobody else sees it.
namespace steptrace::import {

struct LossEntry {
  int64_t count = 0;
  std::string detail;
};
using Losses = std::map<std::pair<std::string, LossCause>, LossEntry>;  // by table and cause

void AddLoss(Losses& losses, std::string_view table, LossCause cause, int64_t count,
             std::string_view detail);

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

// What the parts of a run share while threads fill them.
struct SinkShare {
  // Full parts with rows in memory.
  struct Ended {
    std::vector<Part*> parts;
    int64_t bytes = 0;
  };

  SinkShare(const std::filesystem::path& folder, const Limits& run_limits)
      : limits(run_limits), spill(folder / "rows.partial") {}

  const Limits limits;
  std::atomic<int64_t> tracks = 0;
  // Of the memory for rows, a quarter is for parts that are full; the others share the rest.
  int64_t ended_bytes() const { return limits.max_rows_in_memory / 4; }
  int64_t part_bytes() const { return limits.max_rows_in_memory * 3 / 4 / workers; }
  // Rows that are no slices have an eighth as much, besides: however many there are, as many slices
  // stay in memory.
  static int64_t OfOthers(int64_t bytes) { return bytes / 8; }
  int64_t workers = 1;  // set before there are any

  std::mutex mutex;
  // Under mutex, as all that follows. A text stays where it is.
  store::StringTable strings;
  int64_t text_bytes = 0;
  SpillFile spill;
  Ended ended;          // with slices in memory
  Ended ended_others;   // with other rows there
  int64_t filling = 0;  // parts that were added and have not ended
  Losses losses;        // of the run
  Status failed;        // the first rows that the disk refused
};

// Moves the rows of a part that are no slices to the file. Under the lock.
Status SpillOthers(Part& part, SpillFile& file);

// Moves the rows of full parts to the file if they have more than their share of memory. Under the
// lock.
void SpillEnded(SinkShare& share);

// The text as the run has it; `text` of the result is empty where the placeholder took its place.
// Locks.
CachedText InternInRun(SinkShare& share, std::string_view text);

}  // namespace steptrace::import
