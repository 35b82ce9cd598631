// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "store/run_reader.h"
#include "store/schema.h"

namespace steptrace::rpc {

// The language of --where, small and exact:
//
//   filter     = comparison { "and" comparison }
//   comparison = column op literal
//   op         = "=" | "!=" | "<" | "<=" | ">" | ">="
//   literal    = integer | decimal | 'text' | "text" | true | false
//
// Integers are compared as integers, whatever their size; a quote inside a text is written twice.
// A row whose column is null meets no comparison.
using FilterLiteral = std::variant<bool, int64_t, double, std::string>;

struct FilterTerm {
  std::string column;
  store::ScanCompare op = store::ScanCompare::kEqual;
  FilterLiteral literal;
  size_t column_at = 0;  // places in the source, from 1, for messages
  size_t literal_at = 0;
};

using Filter = std::vector<FilterTerm>;  // all of them must hold

// An empty text is the filter that every row meets.
Result<Filter> ParseFilter(std::string_view text);

// The filter in the store's terms: its columns are the table's, its literals fit their types.
Result<std::vector<store::ScanCondition>> ResolveFilter(const Filter& filter,
                                                        const store::TableSchema& table);

}  // namespace steptrace::rpc
