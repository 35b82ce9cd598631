// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>

#include "base/result.h"
#include "store/string_table.h"

namespace steptrace::store {

// Adds rows of a table to a run that is closed, as segments of their own, and names them in
// run.json last: what reads meanwhile sees all of them or none. The rows are sorted by node, rank
// and time. Without rows the table is named as one that is known to be empty. An error leaves
// run.json as it was; a run that is in progress is refused.
template <class Row>
Status AddRows(const std::filesystem::path& run, std::span<const Row> rows,
               const StringTable& strings);

}  // namespace steptrace::store
