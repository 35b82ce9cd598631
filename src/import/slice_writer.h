// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "import/part_rows.h"
#include "store/closed_run.h"
#include "store/string_table.h"

namespace steptrace::import {

// Sorts the slices of parts, numbers their depths and writes them as segments. Segments are encoded
// by two threads of its own: no more, because each holds a segment in memory.
class SliceWriter {
 public:
  SliceWriter(store::ClosedRun& run, const store::StringTable& strings);
  ~SliceWriter();
  SliceWriter(const SliceWriter&) = delete;
  SliceWriter& operator=(const SliceWriter&) = delete;

  // Takes the rows out of the part; its times are moved by `shift_ns`.
  Status Write(PartRows& rows, std::vector<Flow>& flows, int32_t node, int32_t rank,
               int64_t shift_ns);
  // Waits for the segments that are being written; the first error of all.
  Status Finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace steptrace::import
