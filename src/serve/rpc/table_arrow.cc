// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>

#include <memory>
#include <vector>

#include "serve/rpc/arrow_out.h"
#include "serve/rpc/table.h"

// Rows of a table as one Arrow batch: readers in browsers know no dictionaries that are replaced
// between batches, as those of a scan are.
namespace steptrace::rpc {
namespace {

// A column that grows, whatever its type. Texts become a dictionary.
class GrowingColumn {
 public:
  explicit GrowingColumn(const Column& column) : column_(column) {
    switch (column.type) {
      case ColumnType::kInteger:
        builder_ = std::make_unique<arrow::Int64Builder>();
        break;
      case ColumnType::kDecimal:
        builder_ = std::make_unique<arrow::DoubleBuilder>();
        break;
      case ColumnType::kBoolean:
        builder_ = std::make_unique<arrow::BooleanBuilder>();
        break;
      case ColumnType::kText:
        break;
    }
  }

  arrow::Status Append(const Cell& cell) {
    if (!builder_) {
      const auto* text = std::get_if<std::string_view>(&cell);
      indices_.push_back(text == nullptr ? -1 : texts_.Of(*text));
      return arrow::Status::OK();
    }
    if (const auto* value = std::get_if<int64_t>(&cell)) {
      return static_cast<arrow::Int64Builder&>(*builder_).Append(*value);
    }
    if (const auto* value = std::get_if<double>(&cell)) {
      return static_cast<arrow::DoubleBuilder&>(*builder_).Append(*value);
    }
    if (const auto* value = std::get_if<bool>(&cell)) {
      return static_cast<arrow::BooleanBuilder&>(*builder_).Append(*value);
    }
    return builder_->AppendNull();
  }

  arrow::Status Finish(ArrowOut& out) {
    if (!builder_) {
      out.AddTexts(column_.name.c_str(), indices_, texts_.texts());
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(auto array, builder_->Finish());
    out.Add(arrow::field(column_.name, array->type()), array);
    return arrow::Status::OK();
  }

 private:
  Column column_;
  std::unique_ptr<arrow::ArrayBuilder> builder_;  // null: texts
  std::vector<int32_t> indices_;
  TextNumbers texts_;
};

class ArrowVisitor : public RowVisitor {
 public:
  Status Begin(const std::vector<Column>& columns) override {
    for (const Column& column : columns) columns_.emplace_back(column);
    return {};
  }
  Status Row(std::span<const Cell> cells) override {
    for (size_t i = 0; i < cells.size(); ++i) {
      const arrow::Status status = columns_[i].Append(cells[i]);
      if (!status.ok()) return Error{"the table: " + status.message() + "; ask for fewer rows"};
    }
    return {};
  }
  Result<std::string> Finish() {
    ArrowOut out;
    for (auto& column : columns_) {
      const arrow::Status status = column.Finish(out);
      if (!status.ok()) return Error{"the table: " + status.message() + "; ask for fewer rows"};
    }
    return out.Finish();
  }

 private:
  std::vector<GrowingColumn> columns_;
};

}  // namespace

Result<std::string> TableArrow(const TableQuery& query) {
  ArrowVisitor visitor;
  STEPTRACE_RETURN_IF_ERROR(VisitRows(query, visitor));
  return visitor.Finish();
}

}  // namespace steptrace::rpc
