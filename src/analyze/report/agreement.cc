// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/agreement.h"

#include <algorithm>
#include <optional>

#include "analyze/stages/stages.h"

namespace steptrace::analyze {
namespace {

// What a rule's finding is a sign of. No stage: any of the suspect's.
struct Sign {
  constexpr Sign(RuleId found, SuspectId any) : rule(found), suspect(any) {}
  constexpr Sign(RuleId found, SubStage of) : rule(found), suspect(SuspectOf(of)), stage(of) {}

  RuleId rule;
  SuspectId suspect;
  std::optional<SubStage> stage;
};

constexpr Sign kSigns[] = {
    // A device that waits: for data, for the host, or while the script does something else. Not for
    // peers: the kernels of a collective keep it busy.
    {RuleId::kLowGpuUtilization, SuspectId::kDataPipeline},
    {RuleId::kLowGpuUtilization, SuspectId::kFrameworkOverhead},
    {RuleId::kLowGpuUtilization, SuspectId::kOtherWork},
    {RuleId::kLowGpuUtilization, SuspectId::kUnattributed},
    // Room for more at once: each launch does too little.
    {RuleId::kBatchSize, SubStage::kDispatch},
    {RuleId::kBatchSize, SubStage::kLaunch},
    {RuleId::kCpuBottleneck, SuspectId::kDataPipeline},
    {RuleId::kIoBottleneck, SuspectId::kDataPipeline},
    {RuleId::kIoBottleneck, SubStage::kCheckpoint},
    {RuleId::kIoBottleneck, SubStage::kLogging},
    {RuleId::kLoadBalancing, SubStage::kStraggler},
    {RuleId::kDataloader, SuspectId::kDataPipeline},
    // What comes now and then makes some steps long.
    {RuleId::kStepOutlier, SubStage::kGarbageCollection},
    {RuleId::kStepOutlier, SubStage::kRecompilation},
    {RuleId::kStepOutlier, SubStage::kCheckpoint},
    {RuleId::kStepOutlier, SubStage::kEvaluation},
    {RuleId::kStepOutlier, SubStage::kLogging},
};

bool PointsAt(RuleId rule, const Verdict& verdict) {
  return std::any_of(std::begin(kSigns), std::end(kSigns), [&](const Sign& sign) {
    return sign.rule == rule && verdict.suspect == SuspectName(sign.suspect) &&
           (!sign.stage || verdict.sub_stage == StageName(*sign.stage));
  });
}

}  // namespace

std::vector<AgreeingRule> AgreeingRules(const Verdict& verdict,
                                        std::span<const RuleResult> results) {
  std::vector<AgreeingRule> agreeing;
  for (const RuleResult& result : results) {
    if (result.status != RuleStatus::kIssuesFound || !PointsAt(result.rule, verdict)) continue;
    if (result.evidence.empty()) continue;  // no rule finds something without
    agreeing.push_back({InfoOf(result.rule).name, result.evidence.front()});
  }
  return agreeing;
}

}  // namespace steptrace::analyze
