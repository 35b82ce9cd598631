// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/api.h>
#include <arrow/io/interfaces.h>

#include <functional>
#include <memory>

#include "base/unique_fd.h"
#include "serve/rpc/cell.h"

// Arrow as rows of cells; private to rpc.
namespace steptrace::rpc {

ColumnType TypeOf(const arrow::DataType& type);

// Reads the cells of one column of one batch, without a copy; the array must outlive it.
class CellReader {
 public:
  explicit CellReader(const arrow::Array& array);
  Cell At(int64_t row) const { return read_(row); }

 private:
  std::function<Cell(int64_t)> read_;
};

// The read end of a pipe as an Arrow stream; Arrow's own file type wants something that it can
// seek.
std::shared_ptr<arrow::io::InputStream> StreamOf(UniqueFd fd);

}  // namespace steptrace::rpc
