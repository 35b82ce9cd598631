// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/rules.toml.
#pragma once

#include "analyze/rules/rule_result.h"

// The rules of the mode modern, in the order of results.
namespace steptrace::analyze {

// clang-format off
struct ModernData;
using ModernRule = RuleResult (*)(const ModernData& data);

RuleResult ModernLowGpuUtilization(const ModernData& data);
RuleResult ModernBatchSize(const ModernData& data);
RuleResult ModernCpuBottleneck(const ModernData& data);
RuleResult ModernIoBottleneck(const ModernData& data);
RuleResult ModernGpuMemoryIncrease(const ModernData& data);
RuleResult ModernLoadBalancing(const ModernData& data);
RuleResult ModernDataloader(const ModernData& data);
RuleResult ModernStepOutlier(const ModernData& data);
RuleResult ModernMaxInitializationTime(const ModernData& data);
RuleResult ModernOverallSystemUsage(const ModernData& data);
RuleResult ModernOverallFrameworkMetrics(const ModernData& data);

inline constexpr ModernRule kModernRules[] = {
    ModernLowGpuUtilization,
    ModernBatchSize,
    ModernCpuBottleneck,
    ModernIoBottleneck,
    ModernGpuMemoryIncrease,
    ModernLoadBalancing,
    ModernDataloader,
    ModernStepOutlier,
    ModernMaxInitializationTime,
    ModernOverallSystemUsage,
    ModernOverallFrameworkMetrics,
};
// clang-format on

}  // namespace steptrace::analyze
