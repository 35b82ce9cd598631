// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "import/core/rows/part_rows.h"
#include "import/core/rows/sorted_rows.h"
#include "store/closed_run.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::import {

// Sorts the slices of parts, numbers their depths and writes them as segments. Segments are encoded
// by threads of its own, a few only, because each holds a segment in memory.
class SliceWriter {
 public:
  // Where the rows of a part go, and what is added to their tracks and times.
  struct Place {
    int32_t node = 0;
    int32_t rank = -1;
    int32_t first_track = 0;
    int64_t shift_ns = 0;
    std::span<const store::TrackRow> tracks;  // of the part
  };

  // No more segments are begun when `stopped`, which may be empty, says so; that is an error.
  SliceWriter(store::ClosedRun& run, const store::StringTable& strings,
              const std::function<bool()>& stopped);
  ~SliceWriter();
  SliceWriter(const SliceWriter&) = delete;
  SliceWriter& operator=(const SliceWriter&) = delete;

  // Takes the rows out of the part.
  Status Write(PartRows& rows, SortedRows<Flow>& flows, const Place& place);
  // Waits for the segments that are being written; the first error of all.
  Status Finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace steptrace::import
