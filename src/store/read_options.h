// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Which rows and columns of a table are read or scanned.
namespace steptrace::store {

struct ReadOptions {
  std::vector<std::string> columns;  // empty: all; other columns keep their defaults
  std::optional<int32_t> rank;       // only this rank, of tables that have ranks
  std::optional<int64_t> from_ns;    // rows with from_ns <= ts_ns < to_ns, of tables with times
  std::optional<int64_t> to_ns;
  std::vector<int32_t> tracks{};  // only these, of tables with tracks, if any are named
};

enum class ScanCompare { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };

// `column compare value`; the value is read by the type of the column. Nulls never match.
struct ScanCondition {
  std::string column;
  ScanCompare compare = ScanCompare::kEqual;
  std::string value;
};

enum class ScanFormat { kArrowStream, kCsv, kParquet };

struct ScanOptions {
  std::vector<std::string> columns;  // empty: all
  std::vector<ScanCondition> where;  // all must hold
  std::optional<int64_t> limit;      // at most so many rows
  ScanFormat format = ScanFormat::kArrowStream;
};

}  // namespace steptrace::store
