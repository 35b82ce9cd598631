// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyze/input/report_input.h"
#include "analyze/rules/device_memory.h"
#include "analyze/rules/device_use.h"
#include "store/packed_rows.h"
#include "store/string_table.h"
#include "store/tables.h"

// What the rules look at, from our own runs and imported ones alike.
namespace steptrace::analyze {

// A step as its framework marked it: forward and backward alone, where a row of `steps` holds what
// lies between two steps too. The reference measures marks.
struct FrameworkStep {
  int64_t ts_ns = 0;
  int64_t dur_ns = 0;
  int64_t step = 0;
  int32_t node = 0;
  int32_t rank = 0;
  bool eval = false;

  int64_t end_ns() const { return ts_ns + dur_ns; }
};

// A piece of work of a data loader: a fetch in a worker, or in the training process itself.
struct LoaderEvent {
  int64_t ts_ns = 0;
  int64_t dur_ns = 0;
  int32_t node = 0;
  int64_t pid = 0;
};

// Time under one name, summed over the run.
struct FrameworkTotal {
  std::string group;  // cpu, gpu, horovod, or what the source calls it
  std::string name;
  int64_t ns = 0;
  int64_t count = 0;
};

struct RulesInput {
  RunInfo run;
  std::span<const CounterSeries> counters;
  store::PackedSteps steps;                     // in any order
  const store::StringTable* strings = nullptr;  // of the rows; must not be null
  std::span<const store::RunMetadataRow> facts;
  std::span<const store::DataLossRow> losses;
  std::span<const FrameworkStep> step_marks;   // in any order; empty: the steps serve
  std::span<const LoaderEvent> loader_events;  // in any order
  std::span<const FrameworkTotal> framework_totals;
  std::span<const DeviceUse> device_use;        // of a profile; the rules of compat know none
  std::span<const DeviceMemory> device_memory;  // ... that recorded allocations
  // Of a time range that leaves them out nothing is said of the run's begin and end.
  bool has_begin = true;
  bool has_end = true;
  // Names of metrics that the run holds, but none of in the time range.
  std::span<const std::string> metrics_outside;
  TableRows tables;
};

}  // namespace steptrace::analyze
