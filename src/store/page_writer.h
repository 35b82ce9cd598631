// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/status.h>

#include <memory>

// Parquet files of whole numbers and names, page by page: a column is one page, encoded as a trial
// with a sample of it says is smallest. Several times as fast as Arrow's writer, which takes what
// this does not.
namespace steptrace::store {

// Whether all columns are whole numbers or dictionaries of texts without nulls.
bool CanWritePages(const arrow::RecordBatch& batch);

// Writes the batch as a whole file with one row group; its arrays are valid and begin at 0.
arrow::Status WritePages(const arrow::RecordBatch& batch,
                         const std::shared_ptr<arrow::io::OutputStream>& sink);

}  // namespace steptrace::store
