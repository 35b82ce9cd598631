// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/input/system_signals.h"
#include "analyze/rules/rule_catalogue.h"
#include "analyze/rules/rule_result.h"
#include "analyze/rules/rules_input.h"

// The reference's way of looking at a run: again and again at the next minute. A rule keeps what it
// has seen and is asked after each scan (sagemaker.md 2.0).
namespace steptrace::analyze {

inline constexpr int64_t kScanNs = 60'000'000'000;
// Of a run whose times make more scans than this (about 69 days) some are wrong.
inline constexpr int64_t kMostScans = 100'000;

// Steps that train (warm-up included) and evaluations, by begin: as marked, where they were.
std::vector<FrameworkStep> StepEvents(const RulesInput& input);

// Places in input.steps by rank and begin: of the steps that a run can hold, those of such a kind.
using StepsOfRanks = std::map<int32_t, std::vector<uint32_t>>;
StepsOfRanks StepsByRank(const RulesInput& input,
                         const std::function<bool(std::string_view)>& kind);

// What a rule sees in one scan: all that touches [begin, end], both ends included, so that what
// lies across a boundary is seen twice. That is the reference's range (sagemaker.md 1.6).
struct ScanWindow {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int64_t epoch_utc_ns = 0;  // of the run: seconds of the clock begin where UTC's do
  const SystemSignals* signals = nullptr;
  std::vector<SystemEvent> system;   // by time
  std::vector<FrameworkStep> steps;  // by begin
  std::vector<LoaderEvent> loaders;
};

// The second of the clock in which a moment of the run lies.
int64_t SecondOf(int64_t epoch_utc_ns, int64_t ts_ns);

class CompatRule {
 public:
  virtual ~CompatRule() = default;
  virtual void Scan(const ScanWindow& window) = 0;
  virtual RuleResult Result() const = 0;
};

// All rules but ProfilerReport, in the order of the catalogue.
std::vector<RuleResult> RunCompatRules(const RulesInput& input, const RuleSettings& settings);
std::vector<RuleResult> RunModernRules(const RulesInput& input, const RuleSettings& settings);

// What a result needs before its rule looks at anything.
RuleResult EmptyResult(RuleId rule, const RuleSettings& settings);

}  // namespace steptrace::analyze
