// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/arrow_cells.h"

#include <arrow/buffer.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <type_traits>
#include <utility>

namespace steptrace::rpc {
namespace {

template <class Array>
Cell CellOf(const Array& array, int64_t row) {
  using Type = typename Array::TypeClass;
  if constexpr (std::is_same_v<Array, arrow::BooleanArray>) {
    return array.Value(row);
  } else if constexpr (std::is_base_of_v<arrow::FloatingPointType, Type>) {
    return static_cast<double>(array.Value(row));
  } else if constexpr (std::is_base_of_v<arrow::IntegerType, Type>) {
    return static_cast<int64_t>(array.Value(row));
  } else {
    return std::string_view(array.GetView(row));
  }
}

template <class Array>
std::function<Cell(int64_t)> Reader(const arrow::Array& array) {
  return [&typed = static_cast<const Array&>(array)](int64_t row) -> Cell {
    if (typed.IsNull(row)) return std::monostate{};
    return CellOf(typed, row);
  };
}

std::function<Cell(int64_t)> DictionaryReader(const arrow::Array& array) {
  const auto& typed = static_cast<const arrow::DictionaryArray&>(array);
  return [&typed, texts = CellReader(*typed.dictionary())](int64_t row) -> Cell {
    if (typed.IsNull(row)) return std::monostate{};
    return texts.At(typed.GetValueIndex(row));
  };
}

std::function<Cell(int64_t)> ReaderOf(const arrow::Array& array) {
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      return Reader<arrow::BooleanArray>(array);
    case arrow::Type::INT32:
      return Reader<arrow::Int32Array>(array);
    case arrow::Type::INT64:
      return Reader<arrow::Int64Array>(array);
    case arrow::Type::DOUBLE:
      return Reader<arrow::DoubleArray>(array);
    case arrow::Type::STRING:
      return Reader<arrow::StringArray>(array);
    case arrow::Type::LARGE_STRING:
      return Reader<arrow::LargeStringArray>(array);
    case arrow::Type::DICTIONARY:
      return DictionaryReader(array);
    default:
      return [](int64_t) -> Cell { return std::monostate{}; };  // in no table of a run
  }
}

class PipeStream : public arrow::io::InputStream {
 public:
  explicit PipeStream(UniqueFd fd) : fd_(std::move(fd)) {}

  arrow::Status Close() override {
    fd_.reset();
    return arrow::Status::OK();
  }
  bool closed() const override { return !fd_.valid(); }
  arrow::Result<int64_t> Tell() const override { return position_; }

  arrow::Result<int64_t> Read(int64_t bytes, void* out) override {
    int64_t done = 0;
    while (done < bytes) {
      ssize_t got =
          ::read(fd_.get(), static_cast<char*>(out) + done, static_cast<size_t>(bytes - done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return arrow::Status::IOError(std::strerror(errno));
      if (got == 0) break;
      done += got;
    }
    position_ += done;
    return done;
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t bytes) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(bytes));
    ARROW_ASSIGN_OR_RAISE(int64_t got, Read(bytes, buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(got));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

 private:
  UniqueFd fd_;
  int64_t position_ = 0;
};

}  // namespace

ColumnType TypeOf(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return ColumnType::kBoolean;
    case arrow::Type::INT32:
    case arrow::Type::INT64:
      return ColumnType::kInteger;
    case arrow::Type::DOUBLE:
      return ColumnType::kDecimal;
    default:
      return ColumnType::kText;
  }
}

CellReader::CellReader(const arrow::Array& array) : read_(ReaderOf(array)) {}

std::shared_ptr<arrow::io::InputStream> StreamOf(UniqueFd fd) {
  return std::make_shared<PipeStream>(std::move(fd));
}

}  // namespace steptrace::rpc
