// SPDX-License-Identifier: Apache-2.0
#include "store/table_sink.h"

#include <arrow/array.h>
#include <arrow/ipc/writer.h>
#include <arrow/table.h>
#include <fmt/format.h>
#include <parquet/arrow/writer.h>

#include <string>
#include <string_view>

#include "base/inert_text.h"
#include "store/arrow_support.h"
#include "store/column_encoding.h"

namespace steptrace::store {
namespace {

constexpr const char* kWhere = "cannot write the table";
constexpr const char* kNext = "report this as a bug";

// An error of the descriptor is the reader's or the disk's, any other is ours.
Status Outcome(const FdOutputStream& out, const arrow::Status& status) {
  if (out.error_number() != 0) return SystemError(kWhere, out.error_number());
  if (!status.ok()) return ArrowError(kWhere, status, kNext);
  return {};
}

class ArrowStreamSink : public TableSink {
 public:
  ArrowStreamSink(int fd, const std::shared_ptr<arrow::Schema>& schema)
      : out_(std::make_shared<FdOutputStream>(fd)) {
    auto options = arrow::ipc::IpcWriteOptions::Defaults();
    options.memory_pool = Pool();
    options.use_threads = false;
    auto writer = arrow::ipc::MakeStreamWriter(out_, schema, options);
    opened_ = writer.status();
    if (writer.ok()) writer_ = *writer;
  }
  Status Write(const arrow::RecordBatch& batch) override {
    return Outcome(*out_, opened_.ok() ? writer_->WriteRecordBatch(batch) : opened_);
  }
  Status Finish() override { return Outcome(*out_, opened_.ok() ? writer_->Close() : opened_); }

 private:
  std::shared_ptr<FdOutputStream> out_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
  arrow::Status opened_;
};

class ParquetSink : public TableSink {
 public:
  ParquetSink(int fd, std::shared_ptr<arrow::Schema> schema)
      : out_(std::make_shared<FdOutputStream>(fd)), schema_(std::move(schema)) {}

  Status Write(const arrow::RecordBatch& batch) override {
    return Outcome(*out_, WriteBatch(batch));
  }
  Status Finish() override {
    auto empty = arrow::RecordBatch::MakeEmpty(schema_, Pool());
    auto status = writer_ || !empty.ok() ? empty.status() : Open(**empty);
    if (status.ok()) status = writer_->Close();
    return Outcome(*out_, status);
  }

 private:
  // The first batch stands for all when encodings are chosen.
  arrow::Status Open(const arrow::RecordBatch& batch) {
    ARROW_ASSIGN_OR_RAISE(writer_,
                          parquet::arrow::FileWriter::Open(
                              *schema_, Pool(), out_, ChooseEncodings(batch),
                              parquet::ArrowWriterProperties::Builder().store_schema()->build()));
    return arrow::Status::OK();
  }
  arrow::Status WriteBatch(const arrow::RecordBatch& batch) {
    if (!writer_) ARROW_RETURN_NOT_OK(Open(batch));
    ARROW_ASSIGN_OR_RAISE(auto table, arrow::Table::FromRecordBatches({arrow::RecordBatch::Make(
                                          schema_, batch.num_rows(), batch.columns())}));
    return writer_->WriteTable(*table, batch.num_rows());
  }

  std::shared_ptr<FdOutputStream> out_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
};

// RFC 4180, with LF; a null is nothing, an empty text is "". Texts are inert to spreadsheets, so
// not all of them exact.
class CsvSink : public TableSink {
 public:
  CsvSink(int fd, const arrow::Schema& schema) : fd_(fd) {
    for (int i = 0; i < schema.num_fields(); ++i) {
      text_ += schema.field(i)->name();
      text_ += i + 1 < schema.num_fields() ? ',' : '\n';
    }
  }
  Status Write(const arrow::RecordBatch& batch) override {
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      for (int i = 0; i < batch.num_columns(); ++i) {
        if (i > 0) text_ += ',';
        AppendCell(*batch.column(i), row);
      }
      text_ += '\n';
    }
    return Finish();
  }
  Status Finish() override {
    int error = WriteAll(fd_, text_.data(), text_.size());
    text_.clear();
    if (error != 0) return SystemError(kWhere, error);
    return {};
  }

 private:
  void AppendCell(const arrow::Array& column, int64_t row) {
    if (column.IsNull(row)) return;
    auto out = std::back_inserter(text_);
    switch (column.type_id()) {
      case arrow::Type::INT32:
        fmt::format_to(out, "{}", static_cast<const arrow::Int32Array&>(column).Value(row));
        break;
      case arrow::Type::INT64:
        fmt::format_to(out, "{}", static_cast<const arrow::Int64Array&>(column).Value(row));
        break;
      case arrow::Type::DOUBLE:
        fmt::format_to(out, "{}", static_cast<const arrow::DoubleArray&>(column).Value(row));
        break;
      case arrow::Type::BOOL:
        text_ += static_cast<const arrow::BooleanArray&>(column).Value(row) ? "true" : "false";
        break;
      case arrow::Type::STRING:
        AppendText(static_cast<const arrow::StringArray&>(column).GetView(row));
        break;
      default: {
        const auto& coded = static_cast<const arrow::DictionaryArray&>(column);
        const auto& texts = static_cast<const arrow::StringArray&>(*coded.dictionary());
        AppendText(texts.GetView(coded.GetValueIndex(row)));
      }
    }
  }
  void AppendText(std::string_view exact) {
    const std::string text = InertCell(exact);
    bool plain = !text.empty() && text.find_first_of(",\"") == std::string::npos;
    if (plain) {
      text_ += text;
      return;
    }
    text_ += '"';
    for (char c : text) text_.append(c == '"' ? 2 : 1, c);
    text_ += '"';
  }

  int fd_;
  std::string text_;
};

}  // namespace

std::unique_ptr<TableSink> TableSink::Make(ScanFormat format, int fd,
                                           std::shared_ptr<arrow::Schema> schema) {
  switch (format) {
    case ScanFormat::kCsv:
      return std::make_unique<CsvSink>(fd, *schema);
    case ScanFormat::kParquet:
      return std::make_unique<ParquetSink>(fd, std::move(schema));
    case ScanFormat::kArrowStream:
      break;
  }
  return std::make_unique<ArrowStreamSink>(fd, schema);
}

}  // namespace steptrace::store
