// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/record_batch.h>
#include <arrow/status.h>

#include <memory>
#include <span>

namespace steptrace::store {

// Whether the batches that a file gives, one after the other, are what was written to it: the same
// columns, rows and values. Texts may stand in a dictionary in one and plainly in the other.
arrow::Status SameAsWritten(std::span<const std::shared_ptr<arrow::RecordBatch>> read,
                            const arrow::RecordBatch& written);

}  // namespace steptrace::store
