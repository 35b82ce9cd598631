// SPDX-License-Identifier: Apache-2.0
#include "store/read_back.h"

#include <arrow/array.h>
#include <arrow/compare.h>
#include <arrow/type.h>

#include <cstdint>

namespace steptrace::store {
namespace {

bool SameTexts(const arrow::StringArray& read, const arrow::DictionaryArray& written,
               int64_t from) {
  const auto& texts = static_cast<const arrow::StringArray&>(*written.dictionary());
  for (int64_t row = 0; row < read.length(); ++row) {
    const bool valid = written.IsValid(from + row);
    if (read.IsValid(row) != valid) return false;
    if (valid && read.GetView(row) != texts.GetView(written.GetValueIndex(from + row))) {
      return false;
    }
  }
  return true;
}

bool SameColumn(const arrow::Array& read, const arrow::Array& written, int64_t from) {
  if (read.type_id() == written.type_id()) {
    return read.RangeEquals(written, 0, read.length(), from,
                            arrow::EqualOptions::Defaults().nans_equal(true));
  }
  return read.type_id() == arrow::Type::STRING && written.type_id() == arrow::Type::DICTIONARY &&
         SameTexts(static_cast<const arrow::StringArray&>(read),
                   static_cast<const arrow::DictionaryArray&>(written), from);
}

}  // namespace

arrow::Status SameAsWritten(std::span<const std::shared_ptr<arrow::RecordBatch>> read,
                            const arrow::RecordBatch& written) {
  int64_t row = 0;
  for (const auto& batch : read) {
    if (!batch->schema()->Equals(*written.schema())) {
      return arrow::Status::Invalid("its columns are ", batch->schema()->ToString());
    }
    if (batch->num_rows() > written.num_rows() - row)
      return arrow::Status::Invalid("too many rows");
    for (int i = 0; i < batch->num_columns(); ++i) {
      if (SameColumn(*batch->column(i), *written.column(i), row)) continue;
      return arrow::Status::Invalid("column ", written.schema()->field(i)->name(),
                                    " holds other values from row ", row, " on");
    }
    row += batch->num_rows();
  }
  if (row != written.num_rows()) return arrow::Status::Invalid("rows are missing");
  return arrow::Status::OK();
}

}  // namespace steptrace::store
