// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/throughput.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "analyze/device/gpu_peaks.h"
#include "analyze/json/json_parts.h"
#include "analyze/trace/device_facts.h"
#include "base/saturating.h"

namespace steptrace::analyze {
namespace {

// Of kernels of products and attention: less that is not counted makes no lower bound.
constexpr double kAllCounted = 0.99;

// A rank's steady steps.
struct Pace {
  int64_t steps = 0;
  double seconds = 0;
  int64_t batches = 0;
  double StepSeconds() const { return seconds / static_cast<double>(steps); }
};

std::map<int32_t, Pace> PacesOf(const ReportInput& input, const StepSelection& selection) {
  std::map<int32_t, Pace> paces;
  for (const uint32_t i : selection.steady) {
    const store::StepRow& row = input.steps[i];
    const int32_t rank = row.rank, batches = row.batches;
    Pace& pace = paces[rank];
    ++pace.steps;
    pace.seconds += static_cast<double>(row.dur_ns) / 1e9;
    pace.batches += std::max(batches, 0);
  }
  std::erase_if(paces, [](const auto& one) { return one.second.seconds <= 0; });
  return paces;
}

// Ranks of a model that is split share their samples; those of one that is not have their own.
bool EachHasItsOwn(const std::map<int32_t, Pace>& paces, const JobFacts& facts) {
  return facts.data_parallel.has_value() || (paces.size() == 1 && facts.world_size <= 1);
}

// Of each rank so many a batch; nothing where that is not known of one of them.
template <class PerBatch>
std::optional<double> PerSecond(const std::map<int32_t, Pace>& paces, PerBatch&& per_batch) {
  double per_s = 0;
  for (const auto& [rank, pace] : paces) {
    const std::optional<double> size = per_batch(rank);
    if (!size || pace.batches == 0) return std::nullopt;
    per_s += *size * static_cast<double>(pace.batches) / pace.seconds;
  }
  return per_s > 0 ? std::optional(per_s) : std::nullopt;
}

// By the batches of each rank's training loader that were looked at.
struct OfBatches {
  std::optional<int64_t> BatchFact::*count;
  bool BatchFact::*alike;
};
constexpr OfBatches kSamples = {&BatchFact::samples, &BatchFact::samples_alike};
constexpr OfBatches kTokens = {&BatchFact::tokens, &BatchFact::tokens_alike};

std::optional<double> PerSecond(const std::map<int32_t, Pace>& paces, const JobFacts& facts,
                                OfBatches of, CountedBy& by) {
  bool alike = true;
  const auto per_s = PerSecond(paces, [&](int32_t rank) -> std::optional<double> {
    const BatchFact* batches = TrainingBatches(facts, rank);
    if (batches == nullptr || !(batches->*of.count)) return std::nullopt;
    alike &= batches->*of.alike;
    return static_cast<double>(*(batches->*of.count)) / static_cast<double>(batches->batches);
  });
  if (per_s) by = alike ? CountedBy::kBatches : CountedBy::kEstimated;
  return per_s;
}

// Of each rank so many in the steps of its profile.
std::optional<double> PerSecond(const std::map<int32_t, Pace>& paces, const OperatorFlops& flops,
                                std::optional<int64_t> OperatorFlops::OfRank::*count) {
  double per_s = 0;
  for (const auto& [rank, pace] : paces) {
    const auto found = flops.ranks.find(rank);
    if (found == flops.ranks.end() || !(found->second.*count)) return std::nullopt;
    per_s += static_cast<double>(*(found->second.*count)) /
             static_cast<double>(found->second.steps) / pace.StepSeconds();
  }
  return per_s > 0 ? std::optional(per_s) : std::nullopt;
}

void AddSampleRates(const std::map<int32_t, Pace>& paces, const JobFacts& facts,
                    const OperatorFlops* flops, Throughput& made) {
  made.batch_size = TrainingBatchSize(facts);
  if (paces.empty() || !EachHasItsOwn(paces, facts)) return;
  const LoaderFact* loader = TrainingLoader(facts);
  if (loader != nullptr && loader->batch_size && *loader->batch_size > 0) {
    made.samples_by = CountedBy::kLoader;
    made.samples_per_s = PerSecond(
        paces, [loader](int32_t) -> std::optional<double> { return *loader->batch_size; });
  }
  if (!made.samples_per_s) {
    made.samples_per_s = PerSecond(paces, facts, kSamples, made.samples_by);
  }
  if (!made.samples_per_s && flops != nullptr) {
    made.samples_by = CountedBy::kModel;
    made.samples_per_s = PerSecond(paces, *flops, &OperatorFlops::OfRank::sequences);
  }
  if (!made.samples_per_s) made.samples_by = CountedBy::kNothing;
}

void AddTokenRates(const std::map<int32_t, Pace>& paces, const JobFacts& facts,
                   const OperatorFlops* flops, Throughput& made) {
  if (paces.empty() || !EachHasItsOwn(paces, facts)) return;
  made.tokens_per_s = PerSecond(paces, facts, kTokens, made.tokens_by);
  if (made.tokens_per_s || flops == nullptr) return;
  made.tokens_per_s = PerSecond(paces, *flops, &OperatorFlops::OfRank::tokens);
  if (made.tokens_per_s) made.tokens_by = CountedBy::kModel;
}

// The devices on which a rank computes; null: one of them has no known peak.
std::vector<const GpuPeaks*> PeaksOf(const Trace& trace, int32_t rank) {
  const DeviceFacts facts(trace);
  std::set<int32_t> devices;
  for (const RankTrace& one : trace.ranks) {
    if (one.rank != rank) continue;
    for (const TraceEvent& event : one.device) {
      if (event.kind != EventKind::kKernel) continue;
      devices.insert(one.lanes[static_cast<size_t>(event.lane)].device);
    }
  }
  std::vector<const GpuPeaks*> peaks;
  for (const int32_t device : devices) {
    const DeviceFact& fact = facts.Of(rank, device);
    const GpuPeaks* gpu = FindGpuPeaks(fact.name, fact.sms);
    // Nothing is measured by figures that nobody has compared.
    peaks.push_back(gpu != nullptr && !gpu->read.empty() ? gpu : nullptr);
  }
  return peaks;
}

// How long a step's operations would take at the peak; nothing: that is not known.
std::optional<double> IdealSeconds(const OperatorFlops::OfRank& rank,
                                   const std::vector<const GpuPeaks*>& gpus) {
  double seconds = 0;
  for (const auto& [precision, flops] : rank.by_precision) {
    double peak = 0;
    for (const GpuPeaks* gpu : gpus) {
      const auto of_gpu = gpu == nullptr ? std::nullopt : gpu->FlopsPerSecond(precision);
      if (!of_gpu) return std::nullopt;
      peak += *of_gpu;
    }
    if (peak <= 0) return std::nullopt;
    seconds += flops / static_cast<double>(rank.steps) / peak;
  }
  return seconds;
}

void AddPrecisions(const OperatorFlops& flops, const std::vector<const GpuPeaks*>& gpus,
                   Throughput& made) {
  std::map<std::string, double> by_precision;
  for (const auto& [number, rank] : flops.ranks) {
    for (const auto& [precision, sum] : rank.by_precision) {
      by_precision[precision] += sum / static_cast<double>(rank.steps);
    }
  }
  const GpuPeaks* gpu = gpus.empty() ? nullptr : gpus.front();
  if (gpu != nullptr) {
    made.gpu_peaks_source = gpu->source;
    made.gpu_peaks_compared = gpu->read;
  }
  for (const auto& [precision, sum] : by_precision) {
    made.precisions.push_back(
        {precision, sum, gpu == nullptr ? std::nullopt : gpu->FlopsPerSecond(precision)});
  }
  std::ranges::stable_sort(made.precisions, std::greater(), &PrecisionFlops::flops_per_step);
}

void AddFlops(const std::map<int32_t, Pace>& paces, const Trace& trace, const OperatorFlops& flops,
              Throughput& made) {
  double per_step = 0, per_s = 0, ideal = 0, taken = 0;
  int64_t counted_ns = 0, uncounted_ns = 0;
  bool has_peaks = true, has_pace = true;
  std::vector<const GpuPeaks*> first;
  for (const auto& [number, rank] : flops.ranks) {
    AddSaturating(counted_ns, rank.counted_ns);
    AddSaturating(uncounted_ns, rank.uncounted_ns);
    if (rank.calls == 0 || rank.steps <= 0) continue;
    double of_rank = 0;
    for (const auto& [precision, sum] : rank.by_precision) of_rank += sum;
    of_rank /= static_cast<double>(rank.steps);
    per_step += of_rank;
    const std::vector<const GpuPeaks*> gpus = PeaksOf(trace, number);
    if (first.empty()) first = gpus;
    const auto pace = paces.find(number);
    has_pace &= pace != paces.end();
    const auto seconds = IdealSeconds(rank, gpus);
    has_peaks &= seconds.has_value();
    if (pace == paces.end()) continue;
    per_s += of_rank / pace->second.StepSeconds();
    ideal += seconds.value_or(0);
    taken += pace->second.StepSeconds();
  }
  if (per_step <= 0) return;
  made.flops_per_step = per_step;
  const double all = static_cast<double>(counted_ns) + static_cast<double>(uncounted_ns);
  made.flops_at_least = static_cast<double>(counted_ns) < kAllCounted * all;
  if (has_pace) made.flops_per_s = per_s;
  if (has_pace && has_peaks && taken > 0) made.mfu = ideal / taken;
  AddPrecisions(flops, first, made);
}

}  // namespace

Throughput MakeThroughput(const ReportInput& input, const StepSelection& selection,
                          const JobFacts& facts, TraceRef trace, const OperatorFlops* flops) {
  Throughput made;
  const std::map<int32_t, Pace> paces = PacesOf(input, selection);
  AddSampleRates(paces, facts, flops, made);
  AddTokenRates(paces, facts, flops, made);
  if (!trace || flops == nullptr) return made;
  AddFlops(paces, *trace, *flops, made);
  return made;
}

std::string_view NameOf(CountedBy by) {
  switch (by) {
    case CountedBy::kNothing:
      return "";
    case CountedBy::kLoader:
      return "loader";
    case CountedBy::kBatches:
      return "batches";
    case CountedBy::kEstimated:
      return "estimated";
    case CountedBy::kModel:
      return "model";
  }
  return "";
}

nlohmann::ordered_json ThroughputJson(const Throughput& one) {
  return {{"batch_size", OrNull(one.batch_size)},
          {"samples_per_s", OrNull(one.samples_per_s)},
          {"samples_by", TextOrNull(std::string(NameOf(one.samples_by)))},
          {"tokens_per_s", OrNull(one.tokens_per_s)},
          {"tokens_by", TextOrNull(std::string(NameOf(one.tokens_by)))},
          {"flops_per_step", OrNull(one.flops_per_step)},
          {"flops_per_s", OrNull(one.flops_per_s)},
          {"flops_at_least", one.flops_at_least},
          {"mfu", OrNull(one.mfu)},
          {"peaks", TextOrNull(one.gpu_peaks_source)},
          {"peaks_compared", TextOrNull(one.gpu_peaks_compared)},
          {"precisions", Each(one.precisions, [](const PrecisionFlops& of) -> Json {
             return {{"precision", TextOrNull(of.precision)},
                     {"flops_per_step", of.flops_per_step},
                     {"peak_flops_per_s", OrNull(of.peak_flops_per_s)}};
           })}};
}

}  // namespace steptrace::analyze
