// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analyze/code/stage_table.h"
#include "analyze/cost/cost.h"
#include "analyze/report/report.h"
#include "analyze/rules/profiling_report.h"
#include "analyze/trace/tensor_cores.h"
#include "base/result.h"
#include "serve/rpc/time_bounds.h"
#include "store/damaged_segments.h"

namespace steptrace::rpc {

struct CostRequest {
  std::optional<double> price_per_hour;  // of the whole job
  std::string instance;                  // the type of its machines
  std::vector<analyze::InstanceType> types;
  // As `steptrace report` has them: the suspects that are billed are those that it names.
  analyze::TensorCorePatterns tensor_cores = {};
  analyze::StageTable stages = {};

  bool has_price() const { return price_per_hour || !types.empty(); }
};

struct RulesAnswer {
  std::string run_name;
  analyze::ProfilingReport report;
  analyze::CostSection cost;
  std::vector<analyze::FindingLine> findings;  // what the rules said while the run went on
  std::vector<store::DamagedSegment> damaged;  // files of the run that could not be used
};

// The rules on a run as its files stand now: closed, live, interrupted and imported ones alike. Of
// a time range: on the steps that lie in it, and on what else begins in it. A rule of the run's
// begin is not applicable to a time range that leaves the begin out. With a price it takes the time
// of a report more, unless that report of the time range is given. Where it cannot be made, the
// cost is told without its parts.
Result<RulesAnswer> LoadRules(const std::filesystem::path& run,
                              const analyze::RuleSettings& settings, const CostRequest& cost,
                              const TimeBounds& time_range = {},
                              const analyze::Report* billed = nullptr);

}  // namespace steptrace::rpc
