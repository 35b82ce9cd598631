// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "import/core/rows/sorted_rows.h"
#include "import/core/rows/spill_file.h"
#include "store/tables.h"

namespace steptrace::import {

// The facts of a part, beyond what memory is for on a file, as SortedRows. Those without a time
// (kNull) are the run's begin's.
class FactRows {
 public:
  class Reader;

  // How many bytes of memory it takes.
  int64_t Append(store::RunMetadataRow row);
  size_t size() const { return timed_.size() + timeless_.size() + rows_.size(); }
  bool is_whole() const { return timed_.is_whole() && timeless_.is_whole(); }
  Status Spill(SpillFile& file);

 private:
  // A fact whose text is on the file.
  struct Stored {
    int64_t ts_ns;
    int64_t number;  // in the order in which they came
    int64_t pid;
    int64_t at;
    size_t json_bytes;
    store::StringId kind;
  };

  std::vector<store::RunMetadataRow> rows_;  // in memory
  SortedRows<Stored> timed_;
  SortedRows<Stored> timeless_;
  int64_t spilled_ = 0;
  const SpillFile* file_ = nullptr;
};

// Takes the rows in the order of the run's times, once.
class FactRows::Reader {
 public:
  // `shift_ns`: from the part's clock to the run's.
  Reader(FactRows& facts, int64_t shift_ns);

  // False: at the end.
  Result<bool> Next(store::RunMetadataRow* row);

 private:
  Result<bool> NextStored(store::RunMetadataRow* row);

  const SpillFile* file_;
  const int64_t shift_ns_;
  std::vector<store::RunMetadataRow> rows_;  // where all are in memory
  size_t next_ = 0;
  SortedRows<Stored>::Reader timed_;
  SortedRows<Stored>::Reader timeless_;
};

}  // namespace steptrace::import
