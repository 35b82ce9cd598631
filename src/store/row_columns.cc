// SPDX-License-Identifier: Apache-2.0
#include "store/row_columns.h"

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>

#include <algorithm>
#include <cstring>

#include "base/utf8.h"
#include "store/arrow_support.h"

namespace steptrace::store {
namespace {

template <class Member>
const auto& ValueOf(const Member& member) {
  if constexpr (OptionalOf<Member>::kNullable) {
    return *member;
  } else {
    return member;
  }
}

template <class Member>
bool HasValue(const Member& member) {
  if constexpr (OptionalOf<Member>::kNullable) {
    return member.has_value();
  } else {
    return true;
  }
}

// Whether a cell says more than the default that a reader gives an absent column.
template <class Member>
bool IsFilled(const Member& cell) {
  if constexpr (OptionalOf<Member>::kNullable) {
    return cell.has_value();
  } else if constexpr (std::is_same_v<Member, std::string>) {
    return !cell.empty();
  } else if constexpr (std::is_same_v<Member, StringId>) {
    return cell != StringId::kEmpty;
  } else {
    return true;
  }
}

template <class Value>
using BuilderOf =
    typename arrow::TypeTraits<typename arrow::CTypeTraits<Value>::ArrowType>::BuilderType;

// An array of numbers without nulls, each given by its place.
template <class Value, class ValueAt>
arrow::Result<std::shared_ptr<arrow::Array>> ArrayOf(size_t size, ValueAt&& value_at) {
  const auto length = static_cast<int64_t>(size);
  ARROW_ASSIGN_OR_RAISE(
      auto buffer, arrow::AllocateBuffer(length * static_cast<int64_t>(sizeof(Value)), Pool()));
  auto* values = buffer->template mutable_data_as<Value>();
  for (size_t i = 0; i < size; ++i) values[i] = value_at(i);
  using ArrayType = typename arrow::CTypeTraits<Value>::ArrayType;
  return std::make_shared<ArrayType>(length, std::shared_ptr<arrow::Buffer>(std::move(buffer)));
}

template <class Row, class Member>
bool AnyValue(const RowsView<Row>& rows, Member Row::*member) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (HasValue(rows[i].*member)) return true;
  }
  return false;
}

template <class Row, class Member>
arrow::Result<std::shared_ptr<arrow::Array>> EncodeNumbers(const RowsView<Row>& rows,
                                                           Member Row::*member) {
  using Value = typename OptionalOf<Member>::Value;
  using ArrowType = typename arrow::CTypeTraits<Value>::ArrowType;
  if constexpr (!OptionalOf<Member>::kNullable && !std::is_same_v<Value, bool>) {
    return ArrayOf<Value>(rows.size(), [&](size_t i) { return rows[i].*member; });
  }
  const auto type = arrow::TypeTraits<ArrowType>::type_singleton();
  if (!AnyValue(rows, member)) {
    return arrow::MakeArrayOfNull(type, static_cast<int64_t>(rows.size()), Pool());
  }
  BuilderOf<Value> builder(type, Pool());
  ARROW_RETURN_NOT_OK(builder.Reserve(static_cast<int64_t>(rows.size())));
  for (size_t i = 0; i < rows.size(); ++i) {
    const Member& cell = rows[i].*member;
    if (HasValue(cell)) {
      builder.UnsafeAppend(ValueOf(cell));
    } else {
      builder.UnsafeAppendNull();
    }
  }
  return builder.Finish();
}

template <class Row, class Member>
arrow::Result<std::shared_ptr<arrow::Array>> EncodeTexts(const RowsView<Row>& rows,
                                                         Member Row::*member) {
  arrow::StringBuilder builder(Pool());
  ARROW_RETURN_NOT_OK(builder.Reserve(static_cast<int64_t>(rows.size())));
  for (size_t i = 0; i < rows.size(); ++i) {
    const Member& cell = rows[i].*member;
    if (!HasValue(cell)) {
      builder.UnsafeAppendNull();
      continue;
    }
    const std::string& text = ValueOf(cell);
    ARROW_RETURN_NOT_OK(IsUtf8(text) ? builder.Append(text) : builder.Append(CleanUtf8(text)));
  }
  return builder.Finish();
}

template <class Row>
arrow::Result<std::shared_ptr<arrow::Array>> EncodeIds(const RowsView<Row>& rows,
                                                       StringId Row::*member,
                                                       const StringTable& strings,
                                                       ColumnDictionary* dictionary) {
  auto last = static_cast<StringId>(-1);  // of the row before: mostly the same again
  int32_t index = -1;
  ARROW_ASSIGN_OR_RAISE(auto indices, ArrayOf<int32_t>(rows.size(), [&](size_t i) {
                          const StringId id = rows[i].*member;
                          if (id != last) index = dictionary->IndexOf(id);
                          last = id;
                          return index;
                        }));
  return std::make_shared<arrow::DictionaryArray>(DictionaryType(), indices,
                                                  dictionary->Texts(strings));
}

arrow::Status WrongType(const std::string& column, const arrow::DataType& found) {
  return arrow::Status::TypeError("column ", column, " has the type ", found.ToString());
}

// Which rows of an array hold a value: the bits themselves, for loops over millions.
class ValidRows {
 public:
  explicit ValidRows(const arrow::Array& array)
      : bits_(array.null_count() == 0 ? nullptr : array.null_bitmap_data()),
        offset_(static_cast<size_t>(array.offset())) {}
  bool operator()(size_t row) const {
    const size_t at = row + offset_;
    return bits_ == nullptr || (bits_[at / 8] >> (at % 8) & 1) != 0;
  }

 private:
  const uint8_t* bits_;
  size_t offset_;
};

template <class Row, class Member>
arrow::Status DecodeNumbers(const arrow::Array& array, Member Row::*member, std::span<Row> rows) {
  using Value = typename OptionalOf<Member>::Value;
  using ArrayType = typename arrow::CTypeTraits<Value>::ArrayType;
  const auto& numbers = static_cast<const ArrayType&>(array);
  if (numbers.null_count() == numbers.length()) return arrow::Status::OK();
  const ValidRows is_valid(array);
  if constexpr (std::is_same_v<Value, bool>) {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (is_valid(i)) rows[i].*member = numbers.Value(static_cast<int64_t>(i));
    }
  } else {
    const Value* values = numbers.raw_values();
    for (size_t i = 0; i < rows.size(); ++i) {
      if (is_valid(i)) rows[i].*member = values[i];
    }
  }
  return arrow::Status::OK();
}

template <class Row, class Member>
arrow::Status DecodeTexts(const arrow::Array& array, Member Row::*member, std::span<Row> rows) {
  const auto& texts = static_cast<const arrow::StringArray&>(array);
  for (size_t i = 0; i < rows.size(); ++i) {
    auto at = static_cast<int64_t>(i);
    if (texts.IsValid(at)) rows[i].*member = texts.GetString(at);
  }
  return arrow::Status::OK();
}

template <class Row>
arrow::Status DecodeIds(const arrow::Array& array, StringId Row::*member, std::span<Row> rows,
                        DecodedDictionary* dictionary, StringTable& strings) {
  if (array.type_id() == arrow::Type::STRING) {
    const auto& texts = static_cast<const arrow::StringArray&>(array);
    for (size_t i = 0; i < rows.size(); ++i) {
      auto at = static_cast<int64_t>(i);
      if (texts.IsValid(at)) rows[i].*member = strings.Intern(texts.GetView(at));
    }
    return arrow::Status::OK();
  }
  const auto& coded = static_cast<const arrow::DictionaryArray&>(array);
  dictionary->Use(coded.dictionary());
  const ValidRows is_valid(array);
  const int32_t* indices = static_cast<const arrow::Int32Array&>(*coded.indices()).raw_values();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (is_valid(i)) rows[i].*member = dictionary->Id(indices[i], strings);
  }
  return arrow::Status::OK();
}

template <class Row, class Member>
arrow::Status DecodeColumn(const arrow::Array& array, const Field<Row, Member>& field,
                           std::span<Row> rows, DecodedDictionary* dictionary,
                           StringTable& strings) {
  using Value = typename OptionalOf<Member>::Value;
  if constexpr (std::is_same_v<Value, StringId>) {
    bool texts = array.type_id() == arrow::Type::STRING;
    if (!texts && !array.type()->Equals(*DictionaryType())) {
      return WrongType(field.name, *array.type());
    }
    return DecodeIds(array, field.member, rows, dictionary, strings);
  } else {
    if (!array.type()->Equals(*TypeOf<Value>())) return WrongType(field.name, *array.type());
    if constexpr (std::is_same_v<Value, std::string>) {
      return DecodeTexts(array, field.member, rows);
    } else {
      return DecodeNumbers(array, field.member, rows);
    }
  }
}

}  // namespace

std::shared_ptr<arrow::DataType> DictionaryType() {
  static const auto type = arrow::dictionary(arrow::int32(), arrow::utf8());
  return type;
}

int32_t ColumnDictionary::Add(StringId id) {
  auto at = static_cast<size_t>(id);
  if (at >= index_of_id_.size()) index_of_id_.resize(at + 1, -1);
  index_of_id_[at] = static_cast<int32_t>(ids_.size());
  ids_.push_back(id);
  texts_.reset();
  return index_of_id_[at];
}

std::shared_ptr<arrow::Array> ColumnDictionary::Texts(const StringTable& strings) {
  if (texts_) return texts_;
  arrow::StringBuilder builder(Pool());
  for (StringId id : ids_) {
    if (!builder.Append(strings.Text(id)).ok()) std::abort();  // out of memory
  }
  if (!builder.Finish(&texts_).ok()) std::abort();
  return texts_;
}

void DecodedDictionary::Use(const std::shared_ptr<arrow::Array>& texts) {
  // Parts of one array give the same data another array each time.
  if (texts_ != nullptr && texts->data() == texts_->data()) return;
  texts_ = texts;
  ids_.assign(static_cast<size_t>(texts->length()), -1);
}

StringId DecodedDictionary::Id(int64_t index, StringTable& strings) {
  int32_t& id = ids_[static_cast<size_t>(index)];
  if (id < 0) {
    const auto& texts = static_cast<const arrow::StringArray&>(*texts_);
    id = static_cast<int32_t>(texts.IsValid(index) ? strings.Intern(texts.GetView(index))
                                                   : StringId::kEmpty);
  }
  return static_cast<StringId>(id);
}

template <class Row>
ColumnSet ColumnsWithValues(const RowsView<Row>& rows) {
  ColumnSet filled = 0;
  for (size_t i = 0; i < rows.size() && filled != AllColumns<Row>(); ++i) {
    const Row& row = rows[i];
    size_t place = 0;
    ForEachField<Row>([&](const auto& field) {
      filled |= static_cast<ColumnSet>(IsFilled(row.*field.member)) << place++;
    });
  }
  return filled;
}

template <class Row>
RowEncoder<Row>::RowEncoder(PathColumns path_columns, ColumnSet columns)
    : path_columns_(path_columns),
      columns_(columns),
      schema_(SchemaOf<Row>(path_columns, columns)),
      dictionaries_(static_cast<size_t>(schema_->num_fields())) {}

template <class Row>
arrow::Result<std::shared_ptr<arrow::RecordBatch>> RowEncoder<Row>::Encode(
    const RowsView<Row>& rows, const StringTable& strings) {
  arrow::ArrayVector columns;
  arrow::Status failed;
  auto encode =
      [&]<class Member>(
          const Field<Row, Member>& field) -> arrow::Result<std::shared_ptr<arrow::Array>> {
    using Value = typename OptionalOf<Member>::Value;
    if constexpr (std::is_same_v<Member, StringId>) {
      return EncodeIds(rows, field.member, strings, &dictionaries_[columns.size()]);
    } else if constexpr (std::is_same_v<Value, std::string>) {
      return EncodeTexts(rows, field.member);
    } else {
      return EncodeNumbers(rows, field.member);
    }
  };
  size_t place = 0;
  ForEachField<Row>([&](const auto& field) {
    if ((columns_ >> place++ & 1) == 0) return;
    if (path_columns_ == PathColumns::kLeaveOut && IsPathColumn(field.name)) return;
    auto column = failed.ok() ? encode(field) : failed;
    if (column.ok()) columns.push_back(*column);
    failed = column.status();
  });
  ARROW_RETURN_NOT_OK(failed);
  return arrow::RecordBatch::Make(schema_, static_cast<int64_t>(rows.size()), std::move(columns));
}

template <class Row>
arrow::Status RowDecoder<Row>::Decode(const arrow::RecordBatch& batch,
                                      const std::vector<std::string>& wanted,
                                      std::vector<Row>* rows) {
  size_t before = rows->size();
  rows->resize(before + static_cast<size_t>(batch.num_rows()));
  std::span<Row> added = std::span(*rows).subspan(before);
  arrow::Status failed;
  size_t number = 0;
  ForEachField<Row>([&](const auto& field) {
    DecodedDictionary* dictionary = &dictionaries_[number++];
    if (!failed.ok()) return;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), field.name) == wanted.end()) {
      return;
    }
    auto column = batch.GetColumnByName(field.name);
    if (column) failed = DecodeColumn(*column, field, added, dictionary, strings_);
  });
  if (!failed.ok()) rows->resize(before);
  return failed;
}

#define STEPTRACE_INSTANTIATE(Row)                            \
  template ColumnSet ColumnsWithValues(const RowsView<Row>&); \
  template class RowEncoder<Row>;                             \
  template class RowDecoder<Row>;
STEPTRACE_FOR_EACH_ROW(STEPTRACE_INSTANTIATE)
#undef STEPTRACE_INSTANTIATE

}  // namespace steptrace::store
