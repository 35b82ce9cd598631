// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/arrow_out.h"

#include <arrow/io/memory.h>
#include <arrow/ipc/writer.h>

namespace steptrace::rpc {
namespace {

arrow::Result<std::string> ToStream(const std::shared_ptr<arrow::RecordBatch>& batch) {
  ARROW_ASSIGN_OR_RAISE(auto sink, arrow::io::BufferOutputStream::Create());
  ARROW_ASSIGN_OR_RAISE(auto writer, arrow::ipc::MakeStreamWriter(sink, batch->schema()));
  ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(*batch));
  ARROW_RETURN_NOT_OK(writer->Close());
  ARROW_ASSIGN_OR_RAISE(auto buffer, sink->Finish());
  return buffer->ToString();
}

}  // namespace

void ArrowOut::Keep(const arrow::Status& status) {
  if (status_.ok()) status_ = status;
}

template <class Builder, class Value>
void ArrowOut::AddNumbers(const char* name, const std::vector<Value>& values) {
  Builder builder;
  Keep(builder.AppendValues(values));
  auto array = builder.Finish();
  Keep(array.status());
  if (array.ok()) Add(arrow::field(name, (*array)->type(), false), *array);
}

void ArrowOut::Add(const char* name, const std::vector<int64_t>& values) {
  AddNumbers<arrow::Int64Builder>(name, values);
}
void ArrowOut::Add(const char* name, const std::vector<int32_t>& values) {
  AddNumbers<arrow::Int32Builder>(name, values);
}
void ArrowOut::Add(const char* name, const std::vector<double>& values) {
  AddNumbers<arrow::DoubleBuilder>(name, values);
}

void ArrowOut::AddTexts(const char* name, const std::vector<int32_t>& indices,
                        const std::vector<std::string>& texts) {
  arrow::Int32Builder numbers;
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
  return Error{"the answer cannot be encoded: " + status_.message() + "; report this as a bug"};
}

}  // namespace steptrace::rpc
