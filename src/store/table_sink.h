// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/record_batch.h>

#include <memory>

#include "base/result.h"
#include "store/read_options.h"

namespace steptrace::store {

// Takes the batches of one table and writes them to a descriptor in some format. One is made for a
// scan and finished at its end; a table without rows still has its header.
class TableSink {
 public:
  static std::unique_ptr<TableSink> Make(ScanFormat format, int fd,
                                         std::shared_ptr<arrow::Schema> schema);
  virtual ~TableSink() = default;
  virtual Status Write(const arrow::RecordBatch& batch) = 0;
  virtual Status Finish() = 0;
};

}  // namespace steptrace::store
