// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "base/result.h"
#include "store/string_table.h"

namespace steptrace::store {

// Adds rows of a table to a run that is closed, as segments of their own, and names them in
// manifests last: what reads meanwhile sees all of a writer's or none. The rows are sorted by node,
// rank and time; they are the writer's that has their node. Without rows the table is named as one
// that is known to be empty. Holds the locks of the writers. An error leaves the run as it was; one
// that is in progress is refused.
template <class Row>
Status AddRows(const std::filesystem::path& run, std::span<const Row> rows,
               const StringTable& strings);
// The same, of a table that is derived from others: a run that has it by now stays as it is.
template <class Row>
Status AddTable(const std::filesystem::path& run, std::span<const Row> rows,
                const StringTable& strings);
// As AddRows, to one writer's, whose lock the caller holds; nodes have its own numbers.
template <class Row>
Status AddRowsOf(const std::filesystem::path& run, const std::string& writer,
                 std::span<const Row> rows, const StringTable& strings);

}  // namespace steptrace::store
