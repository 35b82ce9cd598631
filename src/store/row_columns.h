// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "store/all_tables.h"

// Rows to Arrow columns and back, written once over the declarations of tables.h.
namespace steptrace::store {

template <class T>
struct OptionalOf {
  using Value = T;
  static constexpr bool kNullable = false;
};
template <class T>
struct OptionalOf<std::optional<T>> {
  using Value = T;
  static constexpr bool kNullable = true;
};

// Rows in an order: in place when `order` is empty.
template <class Row>
struct RowsView {
  std::span<const Row> rows;
  std::span<const uint32_t> order;

  size_t size() const { return order.empty() ? rows.size() : order.size(); }
  size_t place(size_t i) const { return order.empty() ? i : order[i]; }
  const Row& operator[](size_t i) const { return rows[place(i)]; }
};

// The dictionary of one column of one file: the texts in the order in which the file first uses
// them.
class ColumnDictionary {
 public:
  int32_t IndexOf(StringId id) {
    auto at = static_cast<size_t>(id);
    bool known = at < index_of_id_.size() && index_of_id_[at] >= 0;
    return known ? index_of_id_[at] : Add(id);
  }
  // The same array again while nothing was added: Arrow then writes no dictionary.
  std::shared_ptr<arrow::Array> Texts(const StringTable& strings);

 private:
  int32_t Add(StringId id);

  std::vector<int32_t> index_of_id_;  // -1: not in it
  std::vector<StringId> ids_;
  std::shared_ptr<arrow::Array> texts_;
};

// The texts of a decoded dictionary by number in the reader's table; interned at first use.
class DecodedDictionary {
 public:
  // The dictionary of the next array; forgets the last one unless it is the same.
  void Use(const std::shared_ptr<arrow::Array>& texts);
  StringId Id(int64_t index, StringTable& strings);

 private:
  std::shared_ptr<arrow::Array> texts_;
  std::vector<int32_t> ids_;  // -1: not yet asked for
};

std::shared_ptr<arrow::DataType> DictionaryType();

template <class Value>
std::shared_ptr<arrow::DataType> TypeOf() {
  if constexpr (std::is_same_v<Value, int32_t>) return arrow::int32();
  if constexpr (std::is_same_v<Value, int64_t>) return arrow::int64();
  if constexpr (std::is_same_v<Value, double>) return arrow::float64();
  if constexpr (std::is_same_v<Value, bool>) return arrow::boolean();
  if constexpr (std::is_same_v<Value, std::string>) return arrow::utf8();
  if constexpr (std::is_same_v<Value, StringId>) return DictionaryType();
}

// Whether the columns are those of the table, rather than of another one: readers go by names, and
// would make rows of what they find in any file.
template <class Row>
bool AreColumnsOf(const arrow::Schema& schema) {
  size_t own = 0;
  size_t most = 0;
  ForEachTable([&]<class Other>() {
    size_t known = 0;
    ForEachField<Other>(
        [&](const auto& field) { known += schema.GetFieldIndex(field.name) >= 0 ? 1 : 0; });
    most = std::max(most, known);
    if (std::is_same_v<Row, Other>) own = known;
  });
  return own == most;
}

enum class PathColumns { kInclude, kLeaveOut };

// Columns of a table by their place in its declaration, a bit each.
using ColumnSet = uint64_t;

template <class Row>
constexpr ColumnSet AllColumns() {
  constexpr size_t kCount = std::tuple_size_v<decltype(TableOf<Row>::kFields)>;
  static_assert(kCount < 64, "ColumnSet is too narrow");
  return (ColumnSet{1} << kCount) - 1;
}

// All but the columns that are empty in each of these rows: of nulls alone, or of empty texts.
template <class Row>
ColumnSet ColumnsWithValues(const RowsView<Row>& rows);

template <class Row>
std::shared_ptr<arrow::Schema> SchemaOf(PathColumns path_columns,
                                        ColumnSet columns = AllColumns<Row>()) {
  arrow::FieldVector fields;
  size_t place = 0;
  ForEachField<Row>([&]<class Member>(const Field<Row, Member>& field) {
    if ((columns >> place++ & 1) == 0) return;
    if (path_columns == PathColumns::kLeaveOut && IsPathColumn(field.name)) return;
    using Type = OptionalOf<Member>;
    fields.push_back(arrow::field(field.name, TypeOf<typename Type::Value>(), Type::kNullable));
  });
  return arrow::schema(std::move(fields));
}

// Turns rows into batches of one file. Dictionaries grow over the batches of the file.
template <class Row>
class RowEncoder {
 public:
  explicit RowEncoder(PathColumns path_columns, ColumnSet columns = AllColumns<Row>());

  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  ColumnSet columns() const { return columns_; }
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Encode(const RowsView<Row>& rows,
                                                            const StringTable& strings);

 private:
  PathColumns path_columns_;
  ColumnSet columns_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<ColumnDictionary> dictionaries_;  // by column
};

// Turns columns into rows. Columns are found by name: absent ones keep their defaults, unknown ones
// are left out, another type is an error. Trusts the arrays to be valid (ValidateFull).
template <class Row>
class RowDecoder {
 public:
  explicit RowDecoder(StringTable& strings) : strings_(strings) {}

  // Appends the batch's rows. `wanted`: names of columns to fill; empty: all.
  arrow::Status Decode(const arrow::RecordBatch& batch, const std::vector<std::string>& wanted,
                       std::vector<Row>* rows);

 private:
  static constexpr size_t kColumns = std::tuple_size_v<decltype(TableOf<Row>::kFields)>;

  StringTable& strings_;
  DecodedDictionary dictionaries_[kColumns];
};

}  // namespace steptrace::store
