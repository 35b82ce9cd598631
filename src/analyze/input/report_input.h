// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyze/input/steps_on_device.h"
#include "analyze/input/table_rows.h"
#include "analyze/trace/tensor_cores.h"
#include "analyze/trace/trace_ref.h"
#include "analyze/trace/unrecognised.h"
#include "store/manifest.h"
#include "store/packed_rows.h"
#include "store/string_table.h"
#include "store/tables.h"

// What a report is made from: rows of a run, from wherever they were read. Nothing here is trusted
// to be consistent: a run may be live, cut off or damaged.
namespace steptrace::analyze {

class LastSeen;
class SampleSums;
class TensorHistories;

// The process that trains as a rank.
struct RankProcess {
  int32_t rank = 0;
  int32_t node = 0;
  int64_t pid = 0;
};

// A process that a DataLoader started.
struct LoaderWorker {
  int32_t node = 0;
  int64_t pid = 0;
};

struct RunInfo {
  std::string id;
  std::string name;
  std::string status;  // in_progress, completed, failed, stopped, interrupted
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::vector<std::string> command;
  int64_t epoch_utc_ns = 0;
  int64_t duration_ns = 0;  // so far, while it runs
  std::vector<store::NodeInfo> nodes;
  int32_t ranks = 0;  // that told of themselves; the steps may know more
  std::vector<RankProcess> rank_processes;
  std::vector<LoaderWorker> workers;
  store::RunIdentity identity;  // of which job and which code it is
};

// One metric on one node, core, device, process or job (store/metrics.h), in order of time.
struct CounterSeries {
  std::string metric;
  std::string unit;
  int32_t node = 0;
  std::optional<int32_t> device;
  std::optional<int64_t> pid;
  std::vector<int64_t> times_ns;
  std::vector<double> values;
  int32_t track = -1;  // of the run's table, for evidence; -1: not known
};

struct ReportOptions {
  std::optional<double> price_per_hour;  // of the whole job
  std::optional<int64_t> last_steps;     // look at each rank's last so many steps alone
  TensorCorePatterns tensor_cores;       // of kernels' names, beside those that are built in
  bool of_time_range = false;            // the rows are of a part of the run that was chosen
};

struct ReportInput {
  RunInfo run;
  store::PackedSteps steps;                            // in any order
  store::PackedRows<store::StepStageRow> step_stages;  // of them and of other steps, in any order
  const store::StringTable* strings = nullptr;         // of the rows below; must not be null
  std::vector<CounterSeries> counters;
  // Of a chosen time range: metrics that the run holds, but none of in it.
  std::vector<std::string> metrics_outside;
  std::span<const store::RunMetadataRow> facts;
  std::span<const store::DataLossRow> losses;
  std::span<const store::FindingRow> findings;  // by time
  bool holds_training = true;  // false: the profile is of something else, and has no steps
  bool steps_marked = true;    // false: as StepsSection::marked
  // Of a live run: the profile is of some of its windows, its steps are those of `steps` that lie
  // in them as a whole.
  bool profile_of_windows = false;
  const LastSeen* last_seen = nullptr;  // of a run without steps: its last kLastSeenNs
  const SampleSums* samples = nullptr;  // of stacks, in these steps; null: none were taken
  // They are of all steps so near, of which these are a few: too few samples fall into these alone.
  std::optional<int64_t> samples_within_ns;
  const TensorHistories* tensors = nullptr;  // null: none were looked at
  Unrecognised unrecognised;  // events of the profile of a training that was imported
  TraceRef profile;           // device activity and operators, where the run holds them
  // Of a live run, as Trace::steps_left_out: also where nothing is left for a profile.
  int64_t steps_left_out = 0;
  TraceRef operators;  // else, operators that windows of a live run captured
  // Of a live run, the collectives that tell their group, and what lies between them.
  TraceRef collectives;
  std::optional<int64_t> collectives_from_ns;  // the run has more of them, before
  ExchangeCounts calls;                        // of them and of asynchronous ones, in steps
  // Of a live run, what events at the boundaries of phases told of the device in its steps.
  const StepsOnDevice* device_phases = nullptr;
  TableRows tables;
  ReportOptions options;
};

}  // namespace steptrace::analyze
