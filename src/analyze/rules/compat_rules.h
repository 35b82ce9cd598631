// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/rules.toml.
#pragma once

#include <memory>

// The rules of the mode compat, in the order of results.
namespace steptrace::analyze {

// clang-format off
class CompatRule;
class RuleSettings;
using CompatRuleMaker = std::unique_ptr<CompatRule> (*)(const RuleSettings& settings);

std::unique_ptr<CompatRule> MakeCompatLowGpuUtilization(const RuleSettings& settings);
std::unique_ptr<CompatRule> MakeCompatBatchSize(const RuleSettings& settings);
std::unique_ptr<CompatRule> MakeCompatCpuBottleneck(const RuleSettings& settings);
std::unique_ptr<CompatRule> MakeCompatIoBottleneck(const RuleSettings& settings);
std::unique_ptr<CompatRule> MakeCompatGpuMemoryIncrease(const RuleSettings& settings);
std::unique_ptr<CompatRule> MakeCompatLoadBalancing(const RuleSettings& settings);
std::unique_ptr<CompatRule> MakeCompatDataloader(const RuleSettings& settings);
std::unique_ptr<CompatRule> MakeCompatStepOutlier(const RuleSettings& settings);
std::unique_ptr<CompatRule> MakeCompatMaxInitializationTime(const RuleSettings& settings);
std::unique_ptr<CompatRule> MakeCompatOverallSystemUsage(const RuleSettings& settings);
std::unique_ptr<CompatRule> MakeCompatOverallFrameworkMetrics(const RuleSettings& settings);

inline constexpr CompatRuleMaker kCompatRules[] = {
    MakeCompatLowGpuUtilization,
    MakeCompatBatchSize,
    MakeCompatCpuBottleneck,
    MakeCompatIoBottleneck,
    MakeCompatGpuMemoryIncrease,
    MakeCompatLoadBalancing,
    MakeCompatDataloader,
    MakeCompatStepOutlier,
    MakeCompatMaxInitializationTime,
    MakeCompatOverallSystemUsage,
    MakeCompatOverallFrameworkMetrics,
};
// clang-format on

}  // namespace steptrace::analyze
