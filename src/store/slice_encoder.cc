// SPDX-License-Identifier: Apache-2.0
#include "store/slice_encoder.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/bitmap_ops.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
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

using SliceTable = TableOf<SliceRow>;
constexpr size_t kSliceColumnCount = std::tuple_size_v<decltype(kSliceColumns)>;

// Where in the table each of SliceColumns is. Does not compile where either has one more, or they
// stand in another order.
consteval std::array<size_t, kSliceColumnCount> SlicePlaces() {
  std::array<std::string_view, kSliceColumnCount> names = std::apply(
      [](const auto&... column) { return std::array{std::string_view(column.first)...}; },
      kSliceColumns);
  std::array<size_t, kSliceColumnCount> places{};
  size_t found = 0, at = 0;
  const auto take = [&](std::string_view name) {
    const size_t place = at++;
    if (IsPathColumn(name)) return;
    if (found == kSliceColumnCount || names[found] != name)
      throw "SliceColumns lacks a column of slices";
    places[found++] = place;
  };
  std::apply([&](const auto&... field) { (take(field.name), ...); }, SliceTable::kFields);
  if (found != kSliceColumnCount) throw "slices lack a column of SliceColumns";
  return places;
}
constexpr std::array<size_t, kSliceColumnCount> kSlicePlaces = SlicePlaces();

template <size_t kAt>
ArrayResult EncodedColumn(const SliceColumns& columns, const StringTable& strings) {
  constexpr auto kField = std::get<kSlicePlaces[kAt]>(SliceTable::kFields);
  using Member = std::remove_cvref_t<decltype(SliceRow().*kField.member)>;
  const auto& values = columns.*std::get<kAt>(kSliceColumns).second;
  if constexpr (OptionalOf<Member>::kNullable) {
    return Nullable(values, columns.ts_ns);
  } else if constexpr (std::is_integral_v<Member>) {
    return Numbers(values);
  } else {
    // Also text by the schema; given as a dictionary, Parquet need not search for what repeats.
    return Names(values, strings, columns.size());
  }
}

template <size_t... kAt>
arrow::Result<arrow::ArrayVector> EncodedColumns(const SliceColumns& columns,
                                                 const StringTable& strings,
                                                 std::index_sequence<kAt...> /*each*/) {
  arrow::ArrayVector arrays;
  for (ArrayResult (*column)(const SliceColumns&, const StringTable&) : {&EncodedColumn<kAt>...}) {
    ARROW_ASSIGN_OR_RAISE(auto array, column(columns, strings));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatch>> EncodeSlices(const SliceColumns& columns,
                                                                const StringTable& strings) {
  ARROW_ASSIGN_OR_RAISE(
      auto arrays, EncodedColumns(columns, strings, std::make_index_sequence<kSliceColumnCount>()));
  return arrow::RecordBatch::Make(SchemaOf<SliceRow>(PathColumns::kLeaveOut),
                                  static_cast<int64_t>(columns.size()), std::move(arrays));
}

}  // namespace steptrace::store
