// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "serve/http/answer.h"

namespace steptrace::http {

// The parameters of a request. The first one that cannot be read is kept: who has read all asks
// once.
class Parameters {
 public:
  explicit Parameters(const Request& request) : request_(request) {}

  std::optional<std::string> Text(std::string_view name) const;
  std::vector<std::string> Texts(std::string_view name) const;  // of each time that it is given
  // A whole number within bounds.
  std::optional<int64_t> Integer(std::string_view name, int64_t least, int64_t most);
  std::optional<int64_t> Time(std::string_view name);
  // from_ns and to_ns; one that ends before it begins is refused.
  std::pair<std::optional<int64_t>, std::optional<int64_t>> TimeRange();
  // Whole numbers, by commas; at most so many.
  std::optional<std::vector<int32_t>> Numbers(std::string_view name, size_t most);

  const Status& status() const { return status_; }

 private:
  void Refuse(std::string_view name, const std::string& cause, const char* next_step);

  const Request& request_;
  Status status_;
};

std::vector<std::string> SplitAtCommas(std::string_view text);

}  // namespace steptrace::http
