// SPDX-License-Identifier: Apache-2.0
#include "store/slice_encoder.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/bitmap_ops.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "store/arrow_support.h"
#include "store/row_columns.h"

namespace steptrace::store {
namespace {

using ArrayResult = arrow::Result<std::shared_ptr<arrow::Array>>;

template <class T>
std::shared_ptr<arrow::Array> Numbers(const std::vector<T>& values,
                                      std::shared_ptr<arrow::Buffer> valid = nullptr,
                                      int64_t null_count = 0) {
  return arrow::MakeArray(arrow::ArrayData::Make(TypeOf<T>(), static_cast<int64_t>(values.size()),
                                                 {std::move(valid), arrow::Buffer::Wrap(values)},
                                                 null_count));
}

// Empty: nulls alone. Their array's values are those of `others`, which nobody reads.
ArrayResult Nullable(const std::vector<int64_t>& values, const std::vector<int64_t>& others) {
  auto count = static_cast<int64_t>(others.size());
  if (values.empty()) {
    ARROW_ASSIGN_OR_RAISE(auto none, arrow::AllocateEmptyBitmap(count, Pool()));
    return Numbers(others, std::move(none), count);
  }
  ARROW_ASSIGN_OR_RAISE(auto valid, arrow::AllocateEmptyBitmap(count, Pool()));
  uint8_t* bytes = valid->mutable_data();
  for (size_t row = 0; row + 8 <= values.size(); row += 8) {
    const int64_t* eight = values.data() + row;
    unsigned bits = 0;
    for (unsigned i = 0; i < 8; ++i) {
      bits |= static_cast<unsigned>(eight[i] != SliceColumns::kNull) << i;
    }
    bytes[row / 8] = static_cast<uint8_t>(bits);
  }
  for (size_t row = values.size() / 8 * 8; row < values.size(); ++row) {
    arrow::bit_util::SetBitTo(bytes, static_cast<int64_t>(row), values[row] != SliceColumns::kNull);
  }
  const int64_t set = arrow::internal::CountSetBits(bytes, 0, count);
  if (set == count) return Numbers(values);
  return Numbers(values, std::move(valid), count - set);
}

// Empty: of `rows` empty texts.
ArrayResult Names(const std::vector<StringId>& ids, const StringTable& strings, size_t rows) {
  ColumnDictionary dictionary;
  ARROW_ASSIGN_OR_RAISE(
      auto buffer, arrow::AllocateBuffer(static_cast<int64_t>(rows * sizeof(int32_t)), Pool()));
  auto* indices = reinterpret_cast<int32_t*>(buffer->mutable_data());
  if (ids.empty()) std::fill(indices, indices + rows, dictionary.IndexOf(StringId::kEmpty));
  for (size_t i = 0; i < ids.size(); ++i) indices[i] = dictionary.IndexOf(ids[i]);
  auto array = arrow::MakeArray(
      arrow::ArrayData::Make(arrow::int32(), static_cast<int64_t>(rows),
                             {nullptr, std::shared_ptr<arrow::Buffer>(std::move(buffer))}, 0));
  return std::make_shared<arrow::DictionaryArray>(DictionaryType(), array,
                                                  dictionary.Texts(strings));
}

ArrayResult Column(const SliceColumns& columns, const std::string& name,
                   const StringTable& strings) {
  if (name == "ts_ns") return Numbers(columns.ts_ns);
  if (name == "dur_ns") return Numbers(columns.dur_ns);
  if (name == "track") return Numbers(columns.track);
  if (name == "depth") return Numbers(columns.depth);
  const auto& ts_ns = columns.ts_ns;
  if (name == "name") return Names(columns.name, strings, columns.size());
  if (name == "category") return Names(columns.category, strings, columns.size());
  if (name == "details") return Names(columns.details, strings, columns.size());
  // Text by the schema; given as a dictionary, Parquet need not search for what repeats.
  if (name == "args") return Names(columns.args, strings, columns.size());
  if (name == "step") return Nullable(columns.step, ts_ns);
  if (name == "correlation") return Nullable(columns.correlation, ts_ns);
  if (name == "flow_out") return Nullable(columns.flow_out, ts_ns);
  if (name == "flow_in") return Nullable(columns.flow_in, ts_ns);
  if (name == "bytes") return Nullable(columns.bytes, ts_ns);
  if (name == "group") return Nullable(columns.group, ts_ns);
  if (name == "sequence") return Nullable(columns.sequence, ts_ns);
  if (name == "external_id") return Nullable(columns.external_id, ts_ns);
  return arrow::Status::NotImplemented("slices have a column ", name, " that is new here");
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatch>> EncodeSlices(const SliceColumns& columns,
                                                                const StringTable& strings) {
  auto schema = SchemaOf<SliceRow>(PathColumns::kLeaveOut);
  arrow::ArrayVector arrays;
  for (const auto& field : schema->fields()) {
    ARROW_ASSIGN_OR_RAISE(auto array, Column(columns, field->name(), strings));
    arrays.push_back(std::move(array));
  }
  return arrow::RecordBatch::Make(std::move(schema), static_cast<int64_t>(columns.size()),
                                  std::move(arrays));
}

}  // namespace steptrace::store
