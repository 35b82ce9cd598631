// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "import/core/bytes/byte_stream.h"
#include "import/core/rows/cached_text.h"
#include "import/core/rows/losses.h"
#include "import/core/rows/part.h"
#include "import/core/rows/spill_file.h"
#include "store/string_table.h"

namespace steptrace::import {

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

// Moves the rows of full parts to the file if they have more than their share of memory. Under the
// lock.
void SpillEnded(SinkShare& share);

// The text as the run has it; `text` of the result is empty where the placeholder took its place.
// Locks.
CachedText InternInRun(SinkShare& share, std::string_view text);

}  // namespace steptrace::import
