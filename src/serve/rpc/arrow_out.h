// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/api.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text_hash.h"

// Columns as one Arrow IPC stream of one batch; private to rpc.
namespace steptrace::rpc {

class ArrowOut {
 public:
  // Taken as they are: a large answer is in memory twice, here and as bytes.
  void Add(const char* name, std::vector<int64_t> values);
  void Add(const char* name, std::vector<int32_t> values);
  void Add(const char* name, std::vector<double> values);
  // -1: null. Texts come once, as a dictionary.
  void AddTexts(const char* name, const std::vector<int32_t>& indices,
                const std::vector<std::string>& texts);
  void Add(std::shared_ptr<arrow::Field> field, std::shared_ptr<arrow::Array> array);

  Result<std::string> Finish();

 private:
  template <class Array, class Value>
  void AddNumbers(const char* name, std::vector<Value> values);
  void Keep(const arrow::Status& status);

  arrow::FieldVector fields_;
  arrow::ArrayVector arrays_;
  arrow::Status status_;
};

// Texts numbered as they come.
class TextNumbers {
 public:
  int32_t Of(std::string_view text) {
    const auto [found, added] = numbers_.try_emplace(std::string(text), texts_.size());
    if (added) texts_.emplace_back(text);
    return static_cast<int32_t>(found->second);
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  SeededMap<std::string, size_t> numbers_;
  std::vector<std::string> texts_;
};

}  // namespace steptrace::rpc
