// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/record_batch.h>
#include <parquet/properties.h>

#include <memory>

namespace steptrace::store {

// How each column of this batch is encoded in Parquet, by what a sample of it would take.
std::shared_ptr<parquet::WriterProperties> ChooseEncodings(const arrow::RecordBatch& batch);

}  // namespace steptrace::store
