// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <memory>

#include "store/slice_columns.h"
#include "store/string_table.h"

namespace steptrace::store {

// The batch that RowEncoder<SliceRow> makes of the same rows, without the columns that stand in a
// segment's path. Numbers are not copied: the batch lives no longer than `columns`. Texts are
// dictionaries, also where the schema says text: for a Parquet writer only.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> EncodeSlices(const SliceColumns& columns,
                                                                const StringTable& strings);

}  // namespace steptrace::store
