// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "import/core/rows/losses.h"
#include "import/formats/nsight/database.h"
#include "import/formats/nsight/places.h"
#include "import/formats/nsight/texts.h"

namespace steptrace::import::nsight {

// What the readers of a recording's tables share.
struct FileRows {
  const Database& database;
  Texts& texts;
  Places& places;
  LossCounts lost = {};
  int64_t events = 0;
  bool any_pytorch = false;  // operators of PyTorch among the ranges
  std::string damage = {};   // what SQLite says of the first damaged page; empty: none was met
  std::string damaged_device = {};     // the same of the tables of what devices did
  std::function<bool()> stopped = {};  // whether nobody wants the import any more; none: never
};

// A range of a table.
struct Times {
  int64_t begin_ns = 0;
  int64_t dur_ns = 0;
};
// None: it is no range, and counted as lost.
std::optional<Times> TimesOf(const Cursor& row, FileRows& rows, int begin, int end);

// Puts the slice on its place. An error: the disk is full.
Status Put(const RowPlace& place, Slice slice, FileRows& rows);

// Calls take(row) for each row of a table, if it is there with the first `needed` columns. A
// damaged page ends the table, not the import. An error: it was stopped, or `take` failed.
Status ForEachRow(std::string_view table, std::span<const char* const> columns, size_t needed,
                  FileRows& rows, const std::function<Status(const Cursor&)>& take);

// What devices did: kernels, copies, fills, graphs, what streams wait for.
Status ReadDeviceRows(FileRows& rows);
// What the host called: CUDA, the operating system, libraries; what the profiler cost.
Status ReadHostRows(FileRows& rows);
// What the script and its frameworks marked.
Status ReadNvtxRows(FileRows& rows);
// Figures of devices.
Status ReadGpuMetrics(FileRows& rows);

}  // namespace steptrace::import::nsight
