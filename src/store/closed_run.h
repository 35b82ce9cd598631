// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <span>
#include <string>

#include "base/redactor.h"
#include "base/result.h"
#include "store/manifest.h"
#include "store/slice_columns.h"
#include "store/string_table.h"

namespace steptrace::store {

inline constexpr int64_t kMostSegmentRows = 1 << 20;  // FORMAT.md

// Writes a run whose rows are all known: segments at once, no journal, the manifest last. Each
// segment is read back: the first ones of a table whole, of the others the texts. Several threads
// may write segments; strings must not grow meanwhile.
class ClosedRun {
 public:
  // The folder exists. What rows and manifest say in texts is redacted (redacted_rows.h).
  explicit ClosedRun(std::filesystem::path run, Redactor redactor = Redactor());

  // One segment: rows of one node and rank (tables without ranks: of one node), sorted by time, at
  // most kMostSegmentRows. `number` is unique in the table; readers get segments in its order.
  template <class Row>
  Status Write(std::span<const Row> rows, const StringTable& strings, int32_t node, int32_t rank,
               int64_t number);
  Status Write(const SliceColumns& slices, const StringTable& strings, int32_t node, int32_t rank,
               int64_t number);

  // Syncs all of it and writes the manifest. What the manifest says of tables is replaced.
  Status Close(Manifest manifest);

 private:
  std::filesystem::path run_;
  std::string writer_;
  Redactor redactor_;
  std::mutex mutex_;
  std::map<std::string, TableParts> tables_;  // under mutex_
};

}  // namespace steptrace::store
