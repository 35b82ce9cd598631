// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "analyze/input/report_input.h"
#include "analyze/input/table_rows.h"
#include "analyze/trace/trace_ref.h"
#include "model/finding.h"
#include "store/packed_rows.h"
#include "store/string_table.h"

namespace steptrace::analyze {

// What an analysis has read of the run's tables.
struct ReadTables {
  const TableRows& which;
  const store::PackedSteps& steps;
  const store::StringTable& strings;
  std::span<const CounterSeries> counters;
  std::span<const store::RunMetadataRow> facts;
  std::span<const store::DataLossRow> losses;
  TraceRef profile{};  // of all the run's slices; none: they were not read, or not all
};

// Counts the rows that each finding names, of a chosen time range those that begin in it. One whose
// rows were not all read names none.
void CountRows(const ReadTables& read, std::span<model::Finding* const> findings);

}  // namespace steptrace::analyze
