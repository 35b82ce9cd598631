// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analyze/cost/cost.h"
#include "analyze/rules/profiling_report.h"
#include "base/result.h"

namespace steptrace::rpc {

struct CostRequest {
  std::optional<double> price_per_hour;  // of the whole job
  std::string instance;                  // the type of its machines
  std::vector<analyze::InstanceType> types;
};

struct RulesAnswer {
  std::string run_name;
  analyze::ProfilingReport report;
  analyze::CostSection cost;
  std::vector<analyze::FindingLine> findings;  // what the rules said while the run went on
};

// The rules on a run as its files stand now: closed, live, interrupted and imported ones alike.
Result<RulesAnswer> LoadRules(const std::filesystem::path& run,
                              const analyze::RuleSettings& settings, const CostRequest& cost);

}  // namespace steptrace::rpc
