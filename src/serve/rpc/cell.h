// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

// What rows of a table are made of, whatever holds them.
namespace steptrace::rpc {

enum class ColumnType { kInteger, kDecimal, kBoolean, kText };

struct Column {
  std::string name;
  ColumnType type = ColumnType::kText;
};

// monostate: null. A text is valid only while the row is visited.
using Cell = std::variant<std::monostate, bool, int64_t, double, std::string_view>;

}  // namespace steptrace::rpc
