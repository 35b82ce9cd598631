// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/read_options.h"
#include "store/string_table.h"

namespace steptrace::store {

// Whether a row meets all conditions. Fails on columns that the table lacks and values that cannot
// be read by the column's type. The texts of the rows must be in `strings`, which must outlive it.
template <class Row>
Result<std::function<bool(const Row&)>> MakeFilter(const std::vector<ScanCondition>& conditions,
                                                   const StringTable& strings);

// Fails in one line, naming the table's columns, when it lacks one of these.
template <class Row>
Status CheckColumns(const std::vector<std::string>& columns);

}  // namespace steptrace::store
