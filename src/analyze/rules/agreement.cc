// SPDX-License-Identifier: Apache-2.0
#include "analyze/rules/agreement.h"

#include <algorithm>
#include <string_view>

#include "present/words/finding_sentence.h"

namespace steptrace::analyze {
namespace {

// What a rule's finding is a sign of. An empty stage: any of the suspect's.
struct Sign {
  RuleId rule;
  std::string_view suspect;
  std::string_view stage;
};

constexpr Sign kSigns[] = {
    // A device that waits: for data, for the host, or while the script does something else. Not for
    // peers: the kernels of a collective keep it busy.
    {RuleId::kLowGpuUtilization, "data_pipeline", ""},
    {RuleId::kLowGpuUtilization, "framework_overhead", ""},
    {RuleId::kLowGpuUtilization, "other", ""},
    // Room for more at once: each launch does too little.
    {RuleId::kBatchSize, "framework_overhead", "dispatch"},
    {RuleId::kBatchSize, "framework_overhead", "launch"},
    {RuleId::kCpuBottleneck, "data_pipeline", ""},
    {RuleId::kIoBottleneck, "data_pipeline", ""},
    {RuleId::kIoBottleneck, "other", "checkpoint"},
    {RuleId::kIoBottleneck, "other", "logging"},
    {RuleId::kLoadBalancing, "communication", "straggler"},
    {RuleId::kDataloader, "data_pipeline", ""},
    // What comes now and then makes some steps long.
    {RuleId::kStepOutlier, "framework_overhead", "garbage_collection"},
    {RuleId::kStepOutlier, "framework_overhead", "recompilation"},
    {RuleId::kStepOutlier, "other", "checkpoint"},
    {RuleId::kStepOutlier, "other", "evaluation"},
    {RuleId::kStepOutlier, "other", "logging"},
};

bool PointsAt(RuleId rule, const Verdict& verdict) {
  return std::any_of(std::begin(kSigns), std::end(kSigns), [&](const Sign& sign) {
    return sign.rule == rule && sign.suspect == verdict.suspect &&
           (sign.stage.empty() || sign.stage == verdict.sub_stage);
  });
}

}  // namespace

std::vector<AgreeingRule> AgreeingRules(const Verdict& verdict,
                                        std::span<const RuleResult> results) {
  std::vector<AgreeingRule> agreeing;
  for (const RuleResult& result : results) {
    if (result.status != RuleStatus::kIssuesFound || !PointsAt(result.rule, verdict)) continue;
    agreeing.push_back(
        {InfoOf(result.rule).name,
         result.evidence.empty() ? "" : present::SentenceOf(result.evidence.front()).text});
  }
  return agreeing;
}

}  // namespace steptrace::analyze
