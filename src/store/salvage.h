// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/manifest.h"
#include "store/string_table.h"

// What can be kept of files in which something was changed.
namespace steptrace::store {

// In rows that are kept, for a text that is not known any more: of a name, and of a JSON object.
inline constexpr const char* kLostText = "(lost)";
inline constexpr const char* kLostJson = R"({"lost":true})";

template <class Row>
struct Salvaged {
  std::vector<Row> rows;
  std::vector<std::string> lost_columns;  // null in those rows, or a text that says so
};

// Column by column. A column that cannot be read costs its values: rows stay whose lost columns are
// texts, or numbers that may be null; without any other there is no row. One whose indices lead
// past its dictionary is lost as a whole, for nothing says which texts the dictionary lacks. Where
// the file's end is not the one that was written, it must say of columns, rows and times what this
// build and the manifest say, or nothing is kept. An error: there was no memory.
template <class Row>
Result<Salvaged<Row>> SalvageSegment(const std::filesystem::path& run, const SegmentInfo& segment,
                                     StringTable& strings);

// The entry for a file of which no manifest tells. `place`: its name, node and rank. An error: it
// is no segment of the table.
template <class Row>
Result<SegmentInfo> DescribeSegment(const std::filesystem::path& run, SegmentInfo place);

}  // namespace steptrace::store
