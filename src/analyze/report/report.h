// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyze/device/device_phases.h"
#include "analyze/report/profile.h"
#include "analyze/report/recommendation.h"
#include "analyze/report/report_lines.h"
#include "analyze/report/run_card.h"
#include "analyze/report/stage_row.h"
#include "model/finding.h"

// The report as a value: what `analyze` finds and every presentation renders. Names and units are
// those of the JSON form (docs/reference/report.md): times in ns, shares from 0 to 1.
namespace steptrace::analyze {

struct HostMemorySection;  // analyze/memory/host_memory.h

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

struct PhasesSection {
  std::optional<int64_t> initialization_ns;
  std::optional<int64_t> training_ns;
  std::optional<int64_t> finalization_ns;
  std::optional<model::Finding> finalization_unknown;  // why: steps may have come then
};

struct Distribution {
  int64_t mean = 0, min = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0, max = 0;
};

struct Outlier {
  int32_t rank = 0;
  int64_t step = 0;
  int64_t ts_ns = 0;
  int64_t dur_ns = 0;
  std::string cause;      // the cause that grew most against its median, as a sub-stage
  int64_t excess_ns = 0;  // by how much it grew
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

enum class VerdictStatus { kFound, kNoSingleSuspect, kTooFewSteps, kNoSteps };

struct Advice {
  model::Finding what;
  std::string setting;  // e.g. DataLoader.num_workers, empty: not a setting
  std::string current;  // its value now
  std::string proposed;
};

// A rule that found something and points at the same suspect.
struct AgreeingRule {
  std::string name;
  std::string text;  // the first line of its evidence
};

// What the whole run's report says, beside one on a few of its steps.
struct RunVerdict {
  int64_t steady = 0;  // its steady steps
  VerdictStatus status = VerdictStatus::kNoSteps;
  std::string suspect;
  std::optional<model::Finding> headline;
  double share = 0, share_low = 0, share_high = 0;
};

struct Verdict {
  VerdictStatus status = VerdictStatus::kNoSteps;
  std::string suspect;    // of schema/stages.toml; empty: none
  std::string sub_stage;  // likewise
  std::optional<model::Finding> headline;
  bool healthy = false;  // the model fills the step, and nothing is in its way
  double share = 0, share_low = 0, share_high = 0;  // 95 % interval
  std::optional<double> at_most_speedup;            // step time over step time without it
  std::optional<int64_t> at_most_saving_ns;         // over the whole run's training time
  std::optional<double> at_most_saving_money;
  // communication / straggler only: who is late, and by what of its own
  std::optional<int32_t> straggler_rank;
  std::string straggler_cause;
  std::optional<StageFunction> function;  // of the sub-stage, the one with most time
  std::vector<model::Finding> evidence;
  std::vector<AgreeingRule> rules;
  std::vector<Advice> advice;
  std::optional<RunVerdict> whole_run;  // where these steps are a few of it, and it was asked for
};

struct Suspect {
  std::string name;
  int64_t ns = 0;
  double share = 0;
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
  std::vector<Suspect> suspects;
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
  RunCard card;
  Comparability comparability;
  PhasesSection phases;
  StepsSection steps;
  Verdict verdict;
  std::vector<Suspect> suspects;  // the six, shares sum to 1
  std::vector<StageRow> stages;
  std::vector<BreakdownRow> breakdown;
  DataPipelineSection data_pipeline;
  DistributedSection distributed;
  std::vector<DevicePhaseRow> device_phases;  // of a live run; none: no events were recorded
  std::vector<SystemRow> system;
  std::shared_ptr<const HostMemorySection> host_memory;  // of the processes; null: not measured
  std::vector<FindingLine> findings;                     // by time, the last 1000
  int64_t finding_count = 0;                             // of which these are the last
  std::vector<LossLine> losses;
  std::vector<model::Finding> notes;
  std::shared_ptr<const std::vector<RuleResult>> rules;  // in the mode modern; null: none ran
  // Roles, devices, operators, kernels, memory, modules, collectives, critical path. Without one
  // they are listed in the JSON form as empty, with a note.
  std::optional<Profile> profile;
  std::vector<Recommendation> recommendations;  // of a profile
};

}  // namespace steptrace::analyze
