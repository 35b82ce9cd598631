// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// Which rows of a run's tables show something: a predicate that `steptrace show --where`, the pages
// and DuckDB read alike.
namespace steptrace::model {

enum class Compare : uint8_t { kEqual, kLess, kAtMost, kMore, kAtLeast };

struct Condition {
  std::string_view column;  // of the table, a literal
  Compare is = Compare::kEqual;
  std::variant<int64_t, std::string> value;
};
using Conditions = std::vector<Condition>;  // all of them hold

struct Rows {
  std::string table;  // empty: no rows are named
  Conditions where = {};
  std::optional<int64_t> count = std::nullopt;  // exact; not known: they have not been counted
};

// "=", "<=" and the like.
const char* SignOf(Compare compare);

// "rank = 0 and kind = 'train'"; empty: all rows.
std::string WhereText(const Conditions& where);

// The rows whose time lies in [from, to], and in [from, to).
Conditions Between(int64_t from_ns, int64_t to_ns);
Conditions Within(int64_t from_ns, int64_t to_ns);

}  // namespace steptrace::model
