// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/rules.toml.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "analyze/rules/rule_parameters.h"
#include "model/finding_kinds.h"

// Each rule, in the order of results.
namespace steptrace::analyze {

// clang-format off
enum class RuleId : uint8_t {
  kLowGpuUtilization,  // A GPU is under-utilised, or its utilisation fluctuates.
  kBatchSize,  // CPU, GPU and GPU memory all have low utilisation.
  kCpuBottleneck,  // GPUs are idle while the CPU is busy.
  kIoBottleneck,  // GPUs are idle during I/O wait.
  kGpuMemoryIncrease,  // The memory in use on a GPU grows.
  kLoadBalancing,  // GPUs do not share the work evenly.
  kDataloader,  // The number of DataLoader workers does not fit, or steps wait for data.
  kStepOutlier,  // Some steps take much longer than the others.
  kMaxInitializationTime,  // The first step comes late.
  kOverallSystemUsage,  // Utilization of each node. Never triggers.
  kOverallFrameworkMetrics,  // Where the time of the framework went. Never triggers.
  kProfilerReport,  // Summary of all rules.
};
inline constexpr size_t kRuleCount = 12;

namespace rule_parameters {

// name, kind, compat: what ran, SDK, AWS docs; modern; the units of both; sentence
inline constexpr ParameterInfo kLowGpuUtilization[] = {
    {"threshold_p95", ParameterKind::kPercent, 70, 70, 70, 70, "%", "%", "A GPU whose 95th percentile in the window is below this is under-utilised."},
    {"threshold_p5", ParameterKind::kPercent, 10, 10, 10, 10, "%", "%", "Any other GPU whose 5th percentile is below this fluctuates."},
    {"window", ParameterKind::kWindow, 500, 500, 500, 500, "samples", "samples", "Samples of a GPU in one window."},
    {"patience", ParameterKind::kCount, 1000, 1000, 1000, 60, "samples", "samples", "Samples of a GPU before a verdict."},
};
inline constexpr ParameterInfo kBatchSize[] = {
    {"cpu_threshold_p95", ParameterKind::kPercent, 70, 70, 70, 70, "%", "%", "Limit for the 95th percentile of the CPU."},
    {"gpu_threshold_p95", ParameterKind::kPercent, 70, 70, 70, 70, "%", "%", "Limit for the 95th percentile of the GPU."},
    {"gpu_memory_threshold_p95", ParameterKind::kPercent, 70, 70, 70, 70, "%", "%", "Limit for the 95th percentile of GPU memory."},
    {"patience", ParameterKind::kCount, 1000, 1000, 100, 60, "samples", "samples", "Samples before a verdict."},
    {"window", ParameterKind::kWindow, 500, 500, 500, 500, "samples", "samples", "Samples in one window."},
};
inline constexpr ParameterInfo kCpuBottleneck[] = {
    {"threshold", ParameterKind::kPercent, 50, 50, 50, 50, "%", "%", "Share of snapshots with a bottleneck, in percent."},
    {"gpu_threshold", ParameterKind::kPercent, 10, 10, 10, 10, "%", "%", "A GPU below this is idle."},
    {"cpu_threshold", ParameterKind::kPercent, 90, 90, 90, 90, "%", "%", "CPU use above this is high."},
    {"patience", ParameterKind::kCount, 1000, 1000, 100, 60, "snapshots", "snapshots", "Snapshots before a verdict."},
    {"window", ParameterKind::kWindow, kNoSuchParameter, kNoSuchParameter, kNoSuchParameter, 120, "snapshots", "snapshots", "Snapshots in one window."},
    {"max_wait", ParameterKind::kPercent, kNoSuchParameter, kNoSuchParameter, kNoSuchParameter, 50, "%", "%", "A step that waits for data longer than this share counts as a busy data path."},
};
inline constexpr ParameterInfo kIoBottleneck[] = {
    {"threshold", ParameterKind::kPercent, 50, 50, 50, 50, "%", "%", "Share of snapshots with a bottleneck, in percent."},
    {"gpu_threshold", ParameterKind::kPercent, 10, 10, 70, 10, "%", "%", "A GPU below this is idle."},
    {"io_threshold", ParameterKind::kPercent, 50, 50, 50, 50, "%", "%", "I/O wait above this is high."},
    {"patience", ParameterKind::kCount, 1000, 1000, 1000, 60, "snapshots", "snapshots", "Snapshots before a verdict."},
    {"window", ParameterKind::kWindow, kNoSuchParameter, kNoSuchParameter, kNoSuchParameter, 120, "snapshots", "snapshots", "Snapshots in one window."},
};
inline constexpr ParameterInfo kGpuMemoryIncrease[] = {
    {"increase", ParameterKind::kPercent, 5, 5, 10, 5, "percentage points", "percentage points", "Growth, in percentage points of the GPU's memory."},
    {"patience", ParameterKind::kCount, 1000, 1000, 100, 60, "samples", "samples", "Samples of a GPU before a verdict."},
    {"window", ParameterKind::kSlope, 10, 10, 500, 1200, "samples", "samples", "Samples over which the growth is measured."},
};
inline constexpr ParameterInfo kLoadBalancing[] = {
    {"threshold", ParameterKind::kNumber, 0.2, 0.5, 0.5, 0.2, "", "", "Distance of two GPUs above which they differ."},
    {"patience", ParameterKind::kCount, 1000, 1000, 10, 120, "samples", "samples", "Samples of a GPU before a verdict."},
};
inline constexpr ParameterInfo kDataloader[] = {
    {"min_threshold", ParameterKind::kPercent, 70, 70, 70, kNoSuchParameter, "%", "%", "Fewer loaders than this share of the cores."},
    {"max_threshold", ParameterKind::kNumber, 200, 200, 200, 200, "%", "%", "More workers than this share of the cores."},
    {"patience", ParameterKind::kCount, 10, 10, 10, 10, "s", "steps", "Seconds with loaders (modern: steps) before a verdict."},
    {"window", ParameterKind::kWindow, kNoSuchParameter, kNoSuchParameter, kNoSuchParameter, 100, "steps", "steps", "Steps of a rank in one window."},
    {"max_wait", ParameterKind::kPercent, kNoSuchParameter, kNoSuchParameter, kNoSuchParameter, 20, "%", "%", "Share of step time that may go into waiting."},
};
inline constexpr ParameterInfo kStepOutlier[] = {
    {"stddev", ParameterKind::kPositive, 3, 3, 5, 5, "deviations", "deviations", "Deviations from the mean (modern: median) that make an outlier."},
    {"mode", ParameterKind::kText, 0, 0, 0, 0, "", "", "Which steps: None (all), TRAIN or EVAL."},
    {"n_outliers", ParameterKind::kCount, 10, 10, 10, 3, "outliers", "outliers", "Number of outliers that are ignored."},
    {"rate", ParameterKind::kPercent, kNoSuchParameter, kNoSuchParameter, kNoSuchParameter, 1, "%", "%", "Outliers per hundred steps that are ignored."},
    {"lost", ParameterKind::kPercent, kNoSuchParameter, kNoSuchParameter, kNoSuchParameter, 5, "%", "%", "Share of the time that outliers may cost."},
};
inline constexpr ParameterInfo kMaxInitializationTime[] = {
    {"threshold", ParameterKind::kNumber, 20, 20, 20, 20, "min", "min", "Minutes before the first step."},
};

}  // namespace rule_parameters

struct RuleInfo {
  RuleId id;
  const char* name;
  const char* sentence;
  std::optional<model::FindingKind> advice;  // of which a finding holds nothing more
  std::span<const ParameterInfo> parameters;
};
inline constexpr std::array<RuleInfo, kRuleCount> kRuleInfos = {{
    {RuleId::kLowGpuUtilization, "LowGPUUtilization", "A GPU is under-utilised, or its utilisation fluctuates.", model::FindingKind::kRuleAdviceLowGpuUtilization, rule_parameters::kLowGpuUtilization},
    {RuleId::kBatchSize, "BatchSize", "CPU, GPU and GPU memory all have low utilisation.", model::FindingKind::kRuleAdviceBatchSize, rule_parameters::kBatchSize},
    {RuleId::kCpuBottleneck, "CPUBottleneck", "GPUs are idle while the CPU is busy.", model::FindingKind::kRuleAdviceCpuBottleneck, rule_parameters::kCpuBottleneck},
    {RuleId::kIoBottleneck, "IOBottleneck", "GPUs are idle during I/O wait.", model::FindingKind::kRuleAdviceIoBottleneck, rule_parameters::kIoBottleneck},
    {RuleId::kGpuMemoryIncrease, "GPUMemoryIncrease", "The memory in use on a GPU grows.", model::FindingKind::kRuleAdviceGpuMemoryIncrease, rule_parameters::kGpuMemoryIncrease},
    {RuleId::kLoadBalancing, "LoadBalancing", "GPUs do not share the work evenly.", model::FindingKind::kRuleAdviceLoadBalancing, rule_parameters::kLoadBalancing},
    {RuleId::kDataloader, "Dataloader", "The number of DataLoader workers does not fit, or steps wait for data.", model::FindingKind::kRuleAdviceDataloader, rule_parameters::kDataloader},
    {RuleId::kStepOutlier, "StepOutlier", "Some steps take much longer than the others.", model::FindingKind::kRuleAdviceStepOutlier, rule_parameters::kStepOutlier},
    {RuleId::kMaxInitializationTime, "MaxInitializationTime", "The first step comes late.", model::FindingKind::kRuleAdviceMaxInitializationTime, rule_parameters::kMaxInitializationTime},
    {RuleId::kOverallSystemUsage, "OverallSystemUsage", "Utilization of each node. Never triggers.", std::nullopt, {}},
    {RuleId::kOverallFrameworkMetrics, "OverallFrameworkMetrics", "Where the time of the framework went. Never triggers.", std::nullopt, {}},
    {RuleId::kProfilerReport, "ProfilerReport", "Summary of all rules.", model::FindingKind::kRuleAdviceProfilerReport, {}},
}};
// clang-format on

}  // namespace steptrace::analyze
