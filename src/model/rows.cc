// SPDX-License-Identifier: Apache-2.0
#include "model/rows.h"

namespace steptrace::model {
namespace {

std::string Literal(const std::variant<int64_t, std::string>& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return std::to_string(*number);
  std::string quoted = "'";
  for (const char c : std::get<std::string>(value)) {
    quoted += c;
    if (c == '\'') quoted += c;
  }
  return quoted + "'";
}

}  // namespace

const char* SignOf(Compare compare) {
  switch (compare) {
    case Compare::kEqual:
      return "=";
    case Compare::kLess:
      return "<";
    case Compare::kAtMost:
      return "<=";
    case Compare::kMore:
      return ">";
    case Compare::kAtLeast:
      return ">=";
  }
  return "=";
}

std::string WhereText(const Conditions& where) {
  std::string text;
  for (const Condition& one : where) {
    if (!text.empty()) text += " and ";
    text.append(one.column)
        .append(" ")
        .append(SignOf(one.is))
        .append(" ")
        .append(Literal(one.value));
  }
  return text;
}

Conditions Between(int64_t from_ns, int64_t to_ns) {
  return {{"ts_ns", Compare::kAtLeast, from_ns}, {"ts_ns", Compare::kAtMost, to_ns}};
}

Conditions Within(int64_t from_ns, int64_t to_ns) {
  return {{"ts_ns", Compare::kAtLeast, from_ns}, {"ts_ns", Compare::kLess, to_ns}};
}

}  // namespace steptrace::model
