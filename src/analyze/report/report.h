// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyze/attribution/step_times.h"
#include "analyze/device/device_phase_sums.h"
#include "analyze/input/run_phases.h"
#include "analyze/report/profile_sections.h"
#include "analyze/report/recommendation.h"
#include "analyze/report/report_lines.h"
#include "analyze/report/run_card.h"
#include "analyze/report/run_failure.h"
#include "analyze/report/throughput.h"
#include "analyze/stages/stage_row.h"
#include "analyze/verdict/verdict_value.h"
#include "model/finding.h"

// The report as a value: what `analyze` finds and every presentation renders. Names and units are
// those of the JSON form (docs/reference/report.md): times in ns, shares from 0 to 1.
namespace steptrace::analyze {

struct HostMemorySection;  // analyze/memory/host_memory.h
struct MemoryLimit;        // analyze/memory/memory_limits.h
struct TensorsSection;     // analyze/tensors/tensors_section.h

struct RunSection {
  std::string id;
  std::string name;
  std::string status;  // in_progress, completed, failed, stopped, interrupted
  std::optional<int> exit_code;
  std::optional<int> signal;  // the command died of it
  std::vector<std::string> command;
  std::string started_utc;  // ISO 8601
  int64_t duration_ns = 0;
  int32_t nodes = 1;
  int32_t ranks = 0;
  std::vector<std::pair<std::string, std::string>> frameworks;  // name, version
  std::vector<std::string> devices;
  // What watching cost: CPU time of our records on the training thread over its wall time
  // (estimated: records x measured cost), and the agent's share of one core.
  std::optional<double> host_overhead_share;
  std::optional<double> agent_cpu_share;
};

struct Distribution {
  int64_t mean = 0, min = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0, max = 0;
};

struct StepsSection {
  int64_t count = 0;
  int64_t steady = 0;
  int64_t warm_up = 0;
  int64_t eval = 0;
  int64_t training_wall_ns = 0;  // of all that train, of the rank with most: what savings are of
  bool marked = true;  // false: a profile without marks, all of whose operators are one step
  std::optional<Distribution> duration_ns;  // of steady steps
  std::optional<double> steps_per_s;
  int64_t outlier_count = 0;
  std::vector<Outlier> outliers;  // the longest, at most 20
};

struct BreakdownRow {
  int32_t rank = 0;
  std::string step_kind;
  std::string phase;  // or a cause's sub-stage
  int64_t ns = 0;
  double share = 0;
};

struct LoaderSection {
  int32_t rank = 0;
  int64_t pid = 0;
  std::string json;  // the fact as the hook told it
};

struct DataPipelineSection {
  bool applicable = false;
  std::optional<int32_t> workers;  // of the training loader; nullopt: none told of itself
  int64_t waits = 0;
  int64_t starved_waits = 0;
  std::vector<StageRow> stages;  // sum to the suspect
  std::vector<LoaderSection> loaders;
};

struct RankSection {
  int32_t rank = 0;
  int64_t steps = 0;
  int64_t mean_step_ns = 0;
  std::vector<SuspectRow> suspects;
  int64_t computation_ns = 0;
  int64_t overlap_ns = 0;
  int64_t exposed_ns = 0;
  int64_t transfer_ns = 0;
  int64_t wait_ns = 0;
};

struct BlameRow {
  int32_t rank = 0;
  int64_t caused_wait_ns = 0;
  std::string cause;
};

struct DistributedSection {
  bool applicable = false;
  std::vector<RankSection> ranks;
  std::vector<BlameRow> blame;
};

struct Report {
  RunSection run;
  RunFailure failure;
  RunCard card;
  Comparability comparability;
  PhasesSection phases;
  StepsSection steps;
  Throughput throughput;
  Verdict verdict;
  std::vector<SuspectRow> suspects;  // the six, shares sum to 1
  std::vector<StageRow> stages;
  std::vector<BreakdownRow> breakdown;
  DataPipelineSection data_pipeline;
  DistributedSection distributed;
  std::vector<DevicePhaseRow> device_phases;  // of a live run; none: no events were recorded
  std::vector<SystemRow> system;
  std::shared_ptr<const HostMemorySection> host_memory;  // of the processes; null: not measured
  std::shared_ptr<const std::vector<MemoryLimit>> memory_limits;  // null: none is known
  std::shared_ptr<const TensorsSection> tensors;                  // null: nothing was asked for
  std::vector<FindingLine> findings;                              // by time, the last 1000
  int64_t finding_count = 0;                                      // of which these are the last
  std::vector<LossLine> data_loss;
  std::vector<UnrecognisedKind> unrecognised;  // of an import
  bool unrecognised_more = false;              // there are more kinds
  std::vector<model::Finding> notes;
  std::shared_ptr<const std::vector<RuleResult>> rules;  // in the mode modern; null: none ran
  // Roles, devices, operators, kernels, memory, modules, collectives, critical path. Without one
  // they are listed in the JSON form as empty, with a note.
  std::optional<Profile> profile;
  std::vector<Recommendation> recommendations;  // of a profile
};

}  // namespace steptrace::analyze
