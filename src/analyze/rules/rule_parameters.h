// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// The rules' parameters with their defaults in each mode, declared once.
namespace steptrace::analyze {

enum class RuleMode : uint8_t {
  kCompat,  // the published conditions, quirks included: counts agree with a Debugger report
  kModern,  // the same questions, with what is wrong there fixed
};

enum class RuleId : uint8_t {
  kLowGpuUtilization,
  kBatchSize,
  kCpuBottleneck,
  kIoBottleneck,
  kGpuMemoryIncrease,
  kLoadBalancing,
  kDataloader,
  kStepOutlier,
  kMaxInitializationTime,
  kOverallSystemUsage,
  kOverallFrameworkMetrics,
  kProfilerReport,
};
inline constexpr size_t kRuleCount = 12;

enum class ParameterKind : uint8_t {
  kPercent,   // 0 to 100
  kCount,     // a whole number from 0
  kWindow,    // a whole number from 1; of compat also 0: all there is, as the reference takes it
  kSlope,     // a whole number from 2: fewer samples have no slope
  kPositive,  // a number over 0
  kNumber,    // a number from 0
  kText,
};

// A value that a mode does not know.
inline constexpr double kNoSuchParameter = -1;

struct ParameterInfo {
  const char* name;
  ParameterKind kind;
  double code, sdk, aws_docs;  // compat's default by preset
  double modern;
  const char* sentence;

  bool In(RuleMode mode) const {
    return kind == ParameterKind::kText || (mode == RuleMode::kCompat ? code : modern) >= 0;
  }
};

namespace rule_parameters {

using enum ParameterKind;
inline constexpr double kNo = kNoSuchParameter;

// name, kind, compat: code, SDK, AWS docs; modern; sentence
inline constexpr ParameterInfo kLowGpuUtilization[] = {
    {"threshold_p95", kPercent, 70, 70, 70, 70,
     "A GPU whose 95th percentile in the window is below this is under-utilised."},
    {"threshold_p5", kPercent, 10, 10, 10, 10,
     "One that is not, and whose 5th percentile is below this, fluctuates."},
    {"window", kWindow, 500, 500, 500, 500, "Samples of a GPU that are looked at together."},
    {"patience", kCount, 1000, 1000, 1000, 60, "Samples of a GPU before a verdict."},
};
inline constexpr ParameterInfo kBatchSize[] = {
    {"cpu_threshold_p95", kPercent, 70, 70, 70, 70, "Limit of the CPU's 95th percentile."},
    {"gpu_threshold_p95", kPercent, 70, 70, 70, 70, "Limit of the GPU's."},
    {"gpu_memory_threshold_p95", kPercent, 70, 70, 70, 70, "Limit of the GPU memory's."},
    {"patience", kCount, 1000, 1000, 100, 60, "Samples before a verdict."},
    {"window", kWindow, 500, 500, 500, 500, "Samples that are looked at together."},
};
inline constexpr ParameterInfo kCpuBottleneck[] = {
    {"threshold", kPercent, 50, 50, 50, 50, "Share of snapshots with a bottleneck, in per cent."},
    {"gpu_threshold", kPercent, 10, 10, 10, 10, "A GPU below this has nothing to do."},
    {"cpu_threshold", kPercent, 90, 90, 90, 90, "CPU use above this is high."},
    {"patience", kCount, 1000, 1000, 100, 60, "Snapshots before a verdict."},
    {"window", kWindow, kNo, kNo, kNo, 120, "Snapshots that are judged together."},
    {"max_wait", kPercent, kNo, kNo, kNo, 50,
     "A step that waits for data longer than this share makes its data path busy."},
};
inline constexpr ParameterInfo kIoBottleneck[] = {
    {"threshold", kPercent, 50, 50, 50, 50, "Share of snapshots with a bottleneck, in per cent."},
    {"gpu_threshold", kPercent, 10, 10, 70, 10, "A GPU below this has nothing to do."},
    {"io_threshold", kPercent, 50, 50, 50, 50, "I/O wait above this is high."},
    {"patience", kCount, 1000, 1000, 1000, 60, "Snapshots before a verdict."},
    {"window", kWindow, kNo, kNo, kNo, 120, "Snapshots that are judged together."},
};
inline constexpr ParameterInfo kGpuMemoryIncrease[] = {
    {"increase", kPercent, 5, 5, 10, 5, "Growth in points of the GPU's memory."},
    {"patience", kCount, 1000, 1000, 100, 60, "Samples of a GPU before a verdict."},
    {"window", kSlope, 10, 10, 500, 1200, "Samples over which the growth is measured."},
};
inline constexpr ParameterInfo kLoadBalancing[] = {
    {"threshold", kNumber, 0.2, 0.5, 0.5, 0.2, "Distance of two GPUs above which they differ."},
    {"patience", kCount, 1000, 1000, 10, 120, "Samples of a GPU before a verdict."},
};
inline constexpr ParameterInfo kDataloader[] = {
    {"min_threshold", kPercent, 70, 70, 70, kNo, "Fewer loaders than this share of the cores."},
    {"max_threshold", kNumber, 200, 200, 200, 200, "More workers than this share of the cores."},
    {"patience", kCount, 10, 10, 10, 10, "Seconds with loaders (modern: steps) before a verdict."},
    {"window", kWindow, kNo, kNo, kNo, 100, "Steps of a rank that are judged together."},
    {"max_wait", kPercent, kNo, kNo, kNo, 20, "Share of the steps that may go into waiting."},
};
inline constexpr ParameterInfo kStepOutlier[] = {
    {"stddev", kPositive, 3, 3, 5, 5, "Deviations from the middle that make an outlier."},
    {"mode", kText, 0, 0, 0, 0, "Which steps: None (all), TRAIN or EVAL."},
    {"n_outliers", kCount, 10, 10, 10, 3, "So many outliers are passed over."},
    {"rate", kPercent, kNo, kNo, kNo, 1, "... and so many in a hundred steps."},
    {"lost", kPercent, kNo, kNo, kNo, 5, "Or: share of the time that outliers may cost."},
};
inline constexpr ParameterInfo kMaxInitializationTime[] = {
    {"threshold", kNumber, 20, 20, 20, 20, "Minutes that may go by before the first step."},
};

}  // namespace rule_parameters

constexpr std::span<const ParameterInfo> ParametersOf(RuleId rule) {
  switch (rule) {
    case RuleId::kLowGpuUtilization:
      return rule_parameters::kLowGpuUtilization;
    case RuleId::kBatchSize:
      return rule_parameters::kBatchSize;
    case RuleId::kCpuBottleneck:
      return rule_parameters::kCpuBottleneck;
    case RuleId::kIoBottleneck:
      return rule_parameters::kIoBottleneck;
    case RuleId::kGpuMemoryIncrease:
      return rule_parameters::kGpuMemoryIncrease;
    case RuleId::kLoadBalancing:
      return rule_parameters::kLoadBalancing;
    case RuleId::kDataloader:
      return rule_parameters::kDataloader;
    case RuleId::kStepOutlier:
      return rule_parameters::kStepOutlier;
    case RuleId::kMaxInitializationTime:
      return rule_parameters::kMaxInitializationTime;
    case RuleId::kOverallSystemUsage:
    case RuleId::kOverallFrameworkMetrics:
    case RuleId::kProfilerReport:
      break;
  }
  return {};
}

// A parameter of a rule. One that the rule does not declare does not compile.
class ParameterId {
 public:
  consteval ParameterId(RuleId rule, std::string_view name) : rule_(rule) {
    for (const ParameterInfo& parameter : ParametersOf(rule)) {
      if (parameter.name == name) return;
      ++index_;
    }
    throw "no such parameter";
  }
  constexpr RuleId rule() const { return rule_; }
  constexpr size_t index() const { return index_; }

 private:
  RuleId rule_;
  size_t index_ = 0;
};

// Of CPUBottleneck, and IOBottleneck's for the same.
struct BottleneckParameter {
  consteval BottleneckParameter(const char* name) : BottleneckParameter(name, name) {}
  consteval BottleneckParameter(const char* of_cpu, const char* of_io)
      : cpu(RuleId::kCpuBottleneck, of_cpu), io(RuleId::kIoBottleneck, of_io) {}
  constexpr ParameterId Of(RuleId rule) const { return rule == RuleId::kIoBottleneck ? io : cpu; }

  ParameterId cpu, io;
};

}  // namespace steptrace::analyze
