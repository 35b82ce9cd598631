// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

#include "analyze/rules/modern_data.h"
#include "analyze/stats/quantile.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {

namespace finding = model::finding;

UseHistogram::UseHistogram(std::span<const double> of) : values(of.size()) {
  for (double value : of) {
    const double in = std::clamp(value, 0.0, 100.0) / 2;
    shares[std::min(static_cast<size_t>(in), shares.size() - 1)] +=
        1.0 / static_cast<double>(values);
  }
}

std::vector<UseHistogram> UseHistograms(std::span<const SignalSeries* const> gpus) {
  std::vector<UseHistogram> uses;
  for (const SignalSeries* gpu : gpus.first(std::min(gpus.size(), kMostCompared))) {
    uses.emplace_back(gpu->values);
  }
  return uses;
}

double UseDistance(const UseHistogram& a, const UseHistogram& b) {
  if (a.values == 0 || b.values == 0) return 0;
  double divergence = 0;
  size_t used = 0;
  for (size_t i = 0; i < a.shares.size(); ++i) {
    const double p = a.shares[i], q = b.shares[i], m = (p + q) / 2;
    used += m > 0;
    if (p > 0) divergence += p * std::log(p / m) / 2;
    if (q > 0) divergence += q * std::log(q / m) / 2;
  }
  // Of two samples of one distribution the divergence is about (bins - 1) / 4n (the G-test).
  const double samples = static_cast<double>(std::min(a.values, b.values));
  const double chance = static_cast<double>(used - 1) / (4 * samples);
  return std::sqrt(std::max(0.0, divergence - chance));
}

namespace {

using Gpus = std::vector<const SignalSeries*>;

// Calls `use` with the values of both at the same moments.
void ForSameMoments(const SignalSeries& a, const SignalSeries& b, auto use) {
  size_t at = 0;
  for (size_t i = 0; i < a.values.size(); ++i) {
    while (at < b.values.size() && b.times_ns[at] < a.times_ns[i] - kSnapshotNs) ++at;
    if (at == b.values.size()) return;
    if (b.times_ns[at] <= a.times_ns[i] + kSnapshotNs) use(a.values[i], b.values[at]);
  }
}

// GPUs that take turns have like histograms: the mean difference at the same moments, where one is
// busy when the other is not. 0 where that is no more than `threshold`.
double AlternationDistance(const SignalSeries& a, const SignalSeries& b, double threshold) {
  double difference = 0, sum_a = 0, sum_b = 0, moments = 0;
  ForSameMoments(a, b, [&](double x, double y) {
    difference += std::abs(x - y) / 100;
    sum_a += x;
    sum_b += y;
    ++moments;
  });
  if (moments == 0 || !(difference / moments > threshold)) return 0;
  double together = 0;
  ForSameMoments(
      a, b, [&](double x, double y) { together += (x - sum_a / moments) * (y - sum_b / moments); });
  return together >= 0 ? 0 : difference / moments;
}

struct Range {
  double least, most;
};

std::vector<Range> RangesOf(std::span<const SignalSeries* const> gpus) {
  std::vector<Range> ranges;
  for (const SignalSeries* gpu : gpus) {
    const auto [least, most] = std::minmax_element(gpu->values.begin(), gpu->values.end());
    ranges.push_back(least == gpu->values.end() ? Range{0, 0} : Range{*least, *most});
  }
  return ranges;
}

// No two values of them differ by more. Most of a half million pairs need no look at their values.
double MostDistance(const Range& a, const Range& b) {
  return std::max(a.most - b.least, b.most - a.least) / 100;
}

void AddPair(RuleResult& result, const SignalSeries& a, const SignalSeries& b, double use,
             double turns = 0) {
  const GpuName one = NameOf(a), other = NameOf(b);
  const auto tell = [&]<typename Kind>(std::type_identity<Kind>) {
    AddEvidence(result, Make(Kind{.device = one.device,
                                  .rank = one.rank,
                                  .node = one.node,
                                  .allocations = one.allocations,
                                  .mean = Mean(a.values),
                                  .other_device = other.device,
                                  .other_rank = other.rank,
                                  .other_node = other.node,
                                  .other_allocations = other.allocations,
                                  .other_mean = Mean(b.values),
                                  .distance = std::max(use, turns),
                                  .rows = GpuRows(b, {0, b.values.size()})}));
  };
  if (use >= turns) return tell(std::type_identity<finding::RuleGpusDifferInUse>());
  tell(std::type_identity<finding::RuleGpusTakeTurns>());
}

void CompareSampled(const Gpus& gpus, double threshold, RuleResult& result) {
  const std::vector<UseHistogram> uses = UseHistograms(gpus);
  const std::vector<Range> ranges = RangesOf(std::span(gpus).first(uses.size()));
  for (size_t i = 0; i < uses.size(); ++i) {
    for (size_t j = i + 1; j < uses.size(); ++j) {
      const double use = UseDistance(uses[i], uses[j]);
      const bool counts = use > threshold;
      if (counts && !HasRoom(result)) {
        ++result.triggered;
        continue;
      }
      const bool may_take_turns = MostDistance(ranges[i], ranges[j]) > threshold;
      const double turns = may_take_turns ? AlternationDistance(*gpus[i], *gpus[j], threshold) : 0;
      if (!counts && !(turns > threshold)) continue;
      ++result.triggered;
      AddPair(result, *gpus[i], *gpus[j], use, turns);
    }
  }
  if (gpus.size() > uses.size()) {
    result.reason =
        Make(finding::ReasonFirstGpusAlone{.all = gpus.size(), .compared = uses.size()});
  }
}

double MeanDistance(double a, double b) {
  return std::abs(a - b) / 100;
}

// Those whose steps lie at other times and are few: by how much their mean use differs. A profile
// may have many thousands, so that pairs are counted in the sorted means, where those that differ
// from one stand at the two ends.
void CompareActive(const Gpus& gpus, double threshold, RuleResult& result) {
  std::vector<double> means;
  for (const SignalSeries* gpu : gpus) means.push_back(Mean(gpu->values));
  std::vector<double> sorted = means;
  std::sort(sorted.begin(), sorted.end());
  int64_t sides = 0;  // two of each pair
  for (size_t i = 0; i < gpus.size(); ++i) {
    const double mean = means[i];
    const auto below = std::partition_point(sorted.begin(), sorted.end(), [&](double other) {
      return other < mean && MeanDistance(mean, other) > threshold;
    });
    const auto above = std::partition_point(below, sorted.end(), [&](double other) {
      return other <= mean || !(MeanDistance(mean, other) > threshold);
    });
    const int64_t partners = (below - sorted.begin()) + (sorted.end() - above);
    sides += partners;
    // One whose partners all stand before it has been named by each of them: there are few.
    for (size_t j = i + 1; partners > 0 && j < gpus.size() && HasRoom(result); ++j) {
      const double use = MeanDistance(mean, means[j]);
      if (use > threshold) AddPair(result, *gpus[i], *gpus[j], use);
    }
  }
  result.triggered += sides / 2;
}

}  // namespace

RuleResult ModernLoadBalancing(const ModernData& data) {
  constexpr RuleId kRule = RuleId::kLoadBalancing;
  RuleResult result = EmptyResult(kRule, data.settings);
  const Gpus gpus = data.Gpus();
  if (gpus.size() < 2) {
    return NotApplicable(std::move(result),
                         gpus.empty() ? NoGpu(data) : Make(finding::ReasonOneGpu{}));
  }
  Gpus sampled, active;
  for (const SignalSeries* gpu : gpus) {
    result.datapoints += static_cast<int64_t>(gpu->values.size());
    if (gpu->values.size() <= data.PatienceFor({kRule, "patience"}, *gpu)) continue;
    (gpu->rank >= 0 ? active : sampled).push_back(gpu);
  }
  if (sampled.size() + active.size() < 2) {
    return NotApplicable(std::move(result), Make(finding::ReasonFewSamplesOfTwo{}));
  }
  const double threshold = data.settings.Number({kRule, "threshold"});
  CompareSampled(sampled, threshold, result);
  CompareActive(active, threshold, result);
  return Judged(std::move(result));
}

}  // namespace steptrace::analyze
