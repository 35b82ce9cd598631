// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/kernel_use.h"

#include <algorithm>
#include <map>
#include <string>

#include "analyze/device/gpu_peaks.h"
#include "analyze/device/kernel_class_times.h"
#include "analyze/device/precision.h"
#include "analyze/input/advice_of_framework.h"
#include "analyze/trace/device_facts.h"
#include "base/saturating.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

namespace finding = model::finding;

constexpr double kClassWorthReporting = 0.02;  // of device time
constexpr double kWorthChanging = 0.20;        // of the time in which kernels compute

// Products on the plain units in a precision that tensor cores do not take.
struct PlainProducts {
  Precision precision = Precision::kNotStated;
  double share = 0;   // of the time in which kernels compute
  std::string lower;  // what the GPU's tensor cores take
  bool tf32 = false;  // they take FP32 as TF32, too
};

// What the least of the run's GPUs takes; empty: one of them is not known, or has no tensor cores.
PlainProducts LowerOf(const Trace& profile) {
  PlainProducts found;
  bool first = true;
  const DeviceFacts facts(profile);
  for (const RankTrace& rank : profile.ranks) {
    for (const TraceLane& lane : rank.lanes) {
      if (!lane.on_device) continue;
      const DeviceFact& fact = facts.Of(rank.rank, lane.device);
      // Not by its multiprocessors: what it takes does not depend on how many it has.
      const GpuPeaks* gpu = FindGpuPeaks(fact.name, 0);
      if (gpu == nullptr) return {};
      const bool bf16 = gpu->FlopsPerSecond("BF16").has_value();
      if (!bf16 && !gpu->FlopsPerSecond("FP16")) return {};
      found.tf32 = (first || found.tf32) && gpu->FlopsPerSecond("TF32").has_value();
      if (first || !bf16) found.lower = bf16 ? "BF16" : "FP16";
      first = false;
    }
  }
  return found;
}

std::optional<PlainProducts> FindPlainProducts(const VerdictInput& input, int64_t compute_ns) {
  const Trace& profile = *input.report.profile;
  KernelClassReader classes(*profile.strings);
  std::map<store::StringId, int64_t> by_name;
  for (const RankTrace& rank : profile.ranks) {
    for (const TraceEvent& event : rank.device) {
      if (event.kind != EventKind::kKernel || !InfoOf(classes.Of(event)).by_flops) continue;
      AddSaturating(by_name[event.name], event.dur_ns);
    }
  }
  std::map<Precision, int64_t> by_precision;
  for (const auto& [name, ns] : by_name) {
    const std::string& text = profile.strings->Text(name);
    if (UsesTensorCores(text, input.report.options.tensor_cores)) continue;
    AddSaturating(by_precision[PrecisionOf(text)], ns);
  }
  // FP64 is asked for, where it is.
  const int64_t ns = by_precision[Precision::kFp32];
  PlainProducts found = LowerOf(profile);
  found.precision = Precision::kFp32;
  found.share = compute_ns <= 0 ? 0 : static_cast<double>(ns) / static_cast<double>(compute_ns);
  if (found.lower.empty() || found.share < kWorthChanging) return std::nullopt;
  return found;
}

// By its kernels: copies and fills by the driver are none to fuse.
std::string LargestMemoryBound(const KernelClassTimes& times) {
  const KernelClassTime* largest = nullptr;
  for (const KernelClassTime& one : times.classes) {
    if (!InfoOf(one.of).memory_bound || one.kernel_ns <= 0) continue;
    if (largest == nullptr || one.kernel_ns > largest->kernel_ns) largest = &one;
  }
  return largest == nullptr ? "" : std::string(InfoOf(largest->of).title);
}

model::Finding ToFuse(double share, const KernelClassTimes& times, bool pytorch, bool compiled) {
  const std::string largest = LargestMemoryBound(times);
  if (!pytorch) return Make(finding::ModelFuseAnyKernels{.share = share, .class_name = largest});
  return Make(
      finding::ModelFuseKernels{.share = share, .compiled = compiled, .class_name = largest});
}

}  // namespace

std::optional<model::Finding> KernelClassesEvidence(const VerdictInput& input) {
  const KernelClassTimes times = SumKernelClasses(*input.report.profile);
  std::vector<finding::ModelKernelClasses::Item> items;
  for (const KernelClassTime& one : times.classes) {
    // Nor is a little of what no list knows.
    if (one.share < kClassWorthReporting) continue;
    items.push_back({.share = one.share, .class_name = std::string(InfoOf(one.of).title)});
  }
  if (items.empty()) return std::nullopt;
  return Make(finding::ModelKernelClasses{.items = std::move(items)});
}

std::vector<model::Finding> AdviseKernels(const VerdictInput& input) {
  std::vector<model::Finding> advice;
  const KernelClassTimes times = SumKernelClasses(*input.report.profile);
  const bool pytorch = MayBeOf("pytorch", input.facts);
  if (const auto plain = FindPlainProducts(input, times.compute_ns)) {
    const std::string precision = PrecisionName(plain->precision);
    if (pytorch) {
      advice.push_back(Make(finding::ModelLowerPrecision{.share = plain->share,
                                                         .tf32 = plain->tf32,
                                                         .precision = precision,
                                                         .lower = plain->lower}));
    } else {
      advice.push_back(Make(finding::ModelLowerAnyPrecision{
          .share = plain->share, .precision = precision, .lower = plain->lower}));
    }
  }
  const double share = times.MemoryBoundShare();
  if (share >= kWorthChanging) advice.push_back(ToFuse(share, times, pytorch, input.compiled));
  if (advice.empty()) advice.push_back(Make(finding::ModelKernels{}));
  return advice;
}

}  // namespace steptrace::analyze
