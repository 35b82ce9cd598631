// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/arrow_out.h"

#include <arrow/io/interfaces.h>
#include <arrow/ipc/writer.h>

#include <utility>

namespace steptrace::rpc {
namespace {

// Bytes as they are written, with room for all of them from the first: what is gathered elsewhere
// and then copied is there three times.
class StringOut : public arrow::io::OutputStream {
 public:
  explicit StringOut(int64_t room) { text_.reserve(static_cast<size_t>(room)); }
  arrow::Status Write(const void* data, int64_t bytes) override {
    text_.append(static_cast<const char*>(data), static_cast<size_t>(bytes));
    return arrow::Status::OK();
  }
  using Writable::Write;
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return static_cast<int64_t>(text_.size()); }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
  bool closed_ = false;
};

constexpr int64_t kRoomForHeads = 64 << 10;

arrow::Result<std::string> ToStream(const std::shared_ptr<arrow::RecordBatch>& batch) {
  int64_t bytes = 0;
  ARROW_RETURN_NOT_OK(arrow::ipc::GetRecordBatchSize(*batch, &bytes));
  StringOut sink(bytes + kRoomForHeads);
  ARROW_ASSIGN_OR_RAISE(auto writer, arrow::ipc::MakeStreamWriter(&sink, batch->schema()));
  ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(*batch));
  ARROW_RETURN_NOT_OK(writer->Close());
  return sink.Take();
}

}  // namespace

void ArrowOut::Keep(const arrow::Status& status) {
  if (status_.ok()) status_ = status;
}

template <class Array, class Value>
void ArrowOut::AddNumbers(const char* name, std::vector<Value> values) {
  const auto rows = static_cast<int64_t>(values.size());
  const auto array = std::make_shared<Array>(rows, arrow::Buffer::FromVector(std::move(values)));
  Add(arrow::field(name, array->type(), false), array);
}

void ArrowOut::Add(const char* name, std::vector<int64_t> values) {
  AddNumbers<arrow::Int64Array>(name, std::move(values));
}
void ArrowOut::Add(const char* name, std::vector<int32_t> values) {
  AddNumbers<arrow::Int32Array>(name, std::move(values));
}
void ArrowOut::Add(const char* name, std::vector<double> values) {
  AddNumbers<arrow::DoubleArray>(name, std::move(values));
}

void ArrowOut::AddTexts(const char* name, const std::vector<int32_t>& indices,
                        const std::vector<std::string>& texts) {
  arrow::Int32Builder numbers;
  Keep(numbers.Reserve(static_cast<int64_t>(indices.size())));
  for (const int32_t index : indices) {
    Keep(index < 0 ? numbers.AppendNull() : numbers.Append(index));
  }
  arrow::StringBuilder dictionary;
  Keep(dictionary.AppendValues(texts));
  auto number_array = numbers.Finish();
  auto text_array = dictionary.Finish();
  Keep(number_array.status());
  Keep(text_array.status());
  if (!status_.ok()) return;
  const auto type = arrow::dictionary(arrow::int32(), arrow::utf8());
  Add(arrow::field(name, type, true),
      std::make_shared<arrow::DictionaryArray>(type, *number_array, *text_array));
}

void ArrowOut::Add(std::shared_ptr<arrow::Field> field, std::shared_ptr<arrow::Array> array) {
  fields_.push_back(std::move(field));
  arrays_.push_back(std::move(array));
}

Result<std::string> ArrowOut::Finish() {
  if (status_.ok()) {
    const int64_t rows = arrays_.empty() ? 0 : arrays_.front()->length();
    auto bytes = ToStream(arrow::RecordBatch::Make(arrow::schema(fields_), rows, arrays_));
    if (bytes.ok()) return *std::move(bytes);
    status_ = bytes.status();
  }
  return Error{"the answer cannot be encoded: " + status_.message(), "report this as a bug"};
}

}  // namespace steptrace::rpc
