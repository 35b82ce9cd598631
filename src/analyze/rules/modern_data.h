// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyze/input/job_facts.h"
#include "analyze/rules/modern_rules.h"
#include "analyze/rules/rule_scan.h"
#include "model/finding_kinds.h"

// What the rules of the mode `modern` share. They look at the time range in which the run trains,
// where its steps tell it, and judge it window by window: a problem of a part of the run shows.
namespace steptrace::analyze {

struct ModernData {
  ModernData(const RulesInput& rules_input, const RuleSettings& rule_settings);

  const RulesInput& input;
  const RuleSettings& settings;
  JobFacts facts;
  std::vector<FrameworkStep> steps;  // all, by begin
  int64_t from_ns = 0;               // of the time range that is looked at
  int64_t to_ns = 0;
  bool training_known = false;  // the time range is that of the training's steps
  SystemSignals signals;        // within it
  std::map<int32_t, std::vector<NodeSnapshot>> snapshots;  // of these signals, by node
  std::set<Signal> outside;  // not among them: the run has them outside of the chosen time range
  std::set<Signal> around;   // ... and these before or after the training's steps
  // Of the nodes whose GPUs nothing sampled: per cent of each step's time, exact.
  std::vector<SignalSeries> activity;
  // Of nodes whose GPUs' memory nothing sampled: the most that tensors held in each step, in per
  // cent of the device's memory.
  std::vector<SignalSeries> allocated;

  // Sampled ones, then those known by their activity.
  std::vector<const SignalSeries*> Gpus() const;
  // Samples of it before a verdict: what is exact and of whole steps needs none.
  size_t PatienceFor(ParameterId patience, const SignalSeries& gpu) const;
};

// A signal is not known; where the run has it at other times, that is said.
template <typename Reason>
model::Finding Unmeasured(const ModernData& data, Signal signal) {
  const bool around = data.around.contains(signal);
  return Make(Reason{.elsewhere = model::finding::part::Elsewhere{
                         .around = around, .outside = data.outside.contains(signal)}});
}
model::Finding NoMetric(const ModernData& data);
model::Finding NoGpu(const ModernData& data);
model::Finding NotMeasured(const ModernData& data, RuleId bottleneck);  // what keeps its GPUs idle

// Windows of `size`; what is left at the end joins the last one if it is shorter than `least`.
struct IndexRange {
  size_t begin = 0;
  size_t end = 0;
};
std::vector<IndexRange> Windows(size_t count, size_t size, size_t least);

// As many lines of evidence as anybody reads.
inline constexpr size_t kMostEvidence = 16;
inline bool HasRoom(const RuleResult& result) {
  return result.evidence.size() < kMostEvidence;
}
inline void AddEvidence(RuleResult& result, model::Finding evidence) {
  if (HasRoom(result)) result.evidence.push_back(std::move(evidence));
}

RuleResult NotApplicable(RuleResult result, model::Finding reason);
// Status and advice from what was triggered.
RuleResult Judged(RuleResult result);

// How often a GPU's use lay in each bin of 2 points from 0 to 100, both ends included.
struct UseHistogram {
  UseHistogram() = default;
  explicit UseHistogram(std::span<const double> values);

  std::array<double, 50> shares{};
  size_t values = 0;
};
// Of the first kMostCompared of these series; each is compared with each other one.
inline constexpr size_t kMostCompared = 1024;
std::vector<UseHistogram> UseHistograms(std::span<const SignalSeries* const> gpus);

// How unlike two GPUs' use is, from 0 to sqrt(ln 2): the square root of the Jensen-Shannon
// divergence of their histograms, less what chance gives for so many samples.
double UseDistance(const UseHistogram& a, const UseHistogram& b);

// Of the profile's devices on nodes whose GPUs nothing sampled.
std::vector<SignalSeries> ActivityOf(const RulesInput& input, const SystemSignals& sampled);
// ... and of devices whose allocations it records.
std::vector<SignalSeries> AllocatedOf(const RulesInput& input, const SystemSignals& sampled);
model::Finding UnknownAllocation(const ModernData& data);  // why there is none
// CPUBottleneck of known activity: steps in which the device was idle and the rank waited for data.
void ModernActiveBottleneck(const ModernData& data, RuleResult& result);

// Of evidence: the GPU, and the rows of its series in the range.
struct GpuName {
  int32_t device = 0;
  std::optional<int64_t> rank;  // of a profile; else its node is named
  std::optional<int64_t> node;
  bool allocations = false;  // of a profile: known by these, else by its kernels and copies
};
GpuName NameOf(const SignalSeries& gpu);
model::Rows GpuRows(const SignalSeries& gpu, IndexRange range);

}  // namespace steptrace::analyze
