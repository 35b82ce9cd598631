// SPDX-License-Identifier: Apache-2.0
#include "store/slice_encoder.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/util/bit_util.h>

#include <algorithm>
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

ArrayResult Nullable(const std::vector<int64_t>& values) {
  auto count = static_cast<int64_t>(values.size());
  int64_t nulls = std::count(values.begin(), values.end(), SliceColumns::kNull);
  if (nulls == 0) return Numbers(values);
  ARROW_ASSIGN_OR_RAISE(auto valid, arrow::AllocateEmptyBitmap(count, Pool()));
  if (nulls < count) {
    uint8_t* bits = valid->mutable_data();
    for (size_t i = 0; i < values.size(); ++i) {
      bits[i / 8] =
          static_cast<uint8_t>(bits[i / 8] | (values[i] != SliceColumns::kNull) << (i % 8));
    }
  }
  return Numbers(values, std::move(valid), nulls);
}

ArrayResult Names(const std::vector<StringId>& ids, const StringTable& strings) {
  ColumnDictionary dictionary;
  ARROW_ASSIGN_OR_RAISE(
      auto buffer,
      arrow::AllocateBuffer(static_cast<int64_t>(ids.size() * sizeof(int32_t)), Pool()));
  auto* indices = reinterpret_cast<int32_t*>(buffer->mutable_data());
  for (size_t i = 0; i < ids.size(); ++i) indices[i] = dictionary.IndexOf(ids[i]);
  auto array = arrow::MakeArray(
      arrow::ArrayData::Make(arrow::int32(), static_cast<int64_t>(ids.size()),
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
  if (name == "name") return Names(columns.name, strings);
  if (name == "category") return Names(columns.category, strings);
  if (name == "details") return Names(columns.details, strings);
  // Text by the schema; given as a dictionary, Parquet need not search for what repeats.
  if (name == "args") return Names(columns.args, strings);
  if (name == "step") return Nullable(columns.step);
  if (name == "correlation") return Nullable(columns.correlation);
  if (name == "flow_out") return Nullable(columns.flow_out);
  if (name == "flow_in") return Nullable(columns.flow_in);
  if (name == "bytes") return Nullable(columns.bytes);
  if (name == "group") return Nullable(columns.group);
  if (name == "sequence") return Nullable(columns.sequence);
  if (name == "external_id") return Nullable(columns.external_id);
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
