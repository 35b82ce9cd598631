// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/bound.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "analyze/attribution/suspect_share.h"
#include "analyze/trace/unrecognised.h"
#include "analyze/verdict/absent_ranks.h"
#include "analyze/verdict/questions.h"
#include "analyze/verdict/thresholds.h"
#include "base/time.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {

namespace finding = model::finding;

namespace {

// Host work between a model's steps leaves the caches to it cold. Without it the model reads them
// no more from memory: 32 MiB, a usual last level, at 10 GB/s. Measured: 0.7 ms a step of a model
// of 1 MiB behind a Python loop, 2.2 ms of one of 6 MiB behind 256 MiB that are read through.
constexpr int64_t kWarmsBy = 3 * kNsPerMs;
// What would warm by more than so much of it has no length that anybody knows.
constexpr int64_t kLeastRest = 2 * kWarmsBy;
// Of the steps, what the rows tell of waiting for a core: as much shows that cores are short.
constexpr double kWaitsForCores = 0.05;

// Of the steps: above the suspect's share, a bound is explained; what explains it.
constexpr double kMuchMore = 0.05;
constexpr double kPartWorthSaying = 0.01;

int64_t StepCountOf(const VerdictInput& input) {
  int64_t steps = 0;
  for (const auto& [number, rank] : input.times.ranks()) steps += rank.steps;
  return std::max<int64_t>(steps, 1);
}

double OfSteps(const VerdictInput& input, int64_t ns) {
  return static_cast<double>(ns) /
         static_cast<double>(std::max<int64_t>(input.times.total_ns(), 1));
}

bool ComputesOnHost(const VerdictInput& input) {
  return !MayUseDevice(input.facts) && !(input.profiled && SawDeviceWork(input));
}

bool CoresAreShort(const VerdictInput& input) {
  return input.load.short_of_cores() ||
         OfSteps(input, At(input.times.total(), SubStage::kCpuShortage)) >= kWaitsForCores;
}

// Whether others than the training thread are known to make the batches.
bool LoadsConcurrently(const VerdictInput& input) {
  const LoaderFact* loader = TrainingLoader(input.facts);
  return (loader != nullptr && loader->workers > 0) || !input.waits.awaited.empty();
}

// Whether they may, as far as anybody knows.
bool MayLoadConcurrently(const VerdictInput& input) {
  return TrainingLoader(input.facts) == nullptr || LoadsConcurrently(input);
}

// Loading that lacks cores may keep them from the rest.
model::Finding TakesCores(const VerdictInput& input) {
  if (LoadsConcurrently(input) && !input.load.taken_by_others())
    return Make(finding::DataTakesCores{});
  return Make(finding::CpuCoresWereShort{});
}

// Of the model's phases, what windows show to be neither operators nor dispatch overhead. What of
// it is unattributed is counted there.
int64_t ApartNs(const VerdictInput& input) {
  if (input.dispatch == nullptr || input.unseen_forward > 0) return 0;
  int64_t apart_ns = 0;
  for (const auto& [number, rank] : input.times.ranks()) {
    const auto share = input.dispatch->apart.find(number);
    if (share == input.dispatch->apart.end()) continue;
    const StageTimes& times = rank.stages;
    const int64_t model_ns = At(times, SubStage::kForward) + At(times, SubStage::kBackward) +
                             At(times, SubStage::kOptimizer) + At(times, SubStage::kDispatch);
    const int64_t of_rank_ns = std::llround(share->second * static_cast<double>(model_ns));
    apart_ns += std::clamp<int64_t>(of_rank_ns, 0, At(times, SubStage::kForward));
  }
  return apart_ns;
}

// What samples tell of the loop's own work is as sure as its interval; events are what they took.
double UpperShare(const VerdictInput& input, SuspectId suspect) {
  const double share = ExactShares(BySuspect(input.times.total()))[static_cast<size_t>(suspect)];
  const bool of_events = InfoOf(LargestStage(input.times.total(), suspect)).is_event;
  if (suspect != SuspectId::kOtherWork || of_events) return share;
  return std::max(share, Around(share, input.times.Share(suspect)).high);
}

using Included = finding::StepBoundIncludes::Item;

// What goes with the suspect at most, besides its own time.
struct Unsure {
  int64_t ns = 0;
  std::vector<std::pair<int64_t, Included>> parts;

  void Add(int64_t more_ns, Included part) {
    ns += more_ns;
    parts.emplace_back(more_ns, std::move(part));
  }
  void AddStage(int64_t more_ns, SubStage stage) {
    Add(more_ns, {.share = 0.0, .apart = false, .warm = false, .stage = TitleOf(StageName(stage))});
  }
};

// Of what nobody knows whose it is, or what it would be without the suspect.
Unsure UnsureOf(const VerdictInput& input, SuspectId suspect) {
  const StageTimes& times = input.times.total();
  Unsure unsure;
  if (suspect != SuspectId::kUnattributed) {
    unsure.AddStage(At(BySuspect(times), SuspectId::kUnattributed), SubStage::kUnknown);
  }
  if (suspect != SuspectId::kCommunication) {
    unsure.AddStage(At(times, SubStage::kStraggler), SubStage::kStraggler);
    // An exchange that the host does waits for cores and for ranks that the suspect holds back.
    if (!input.host_exchange.empty()) {
      unsure.AddStage(At(times, SubStage::kExposed), SubStage::kExposed);
    }
  }
  if (ComputesOnHost(input)) {
    unsure.Add(ApartNs(input), {.share = 0.0, .apart = true, .warm = false, .stage = ""});
  }
  return unsure;
}

// Said where it makes the bound another than the share lets expect: the parts worth a word.
std::optional<model::Finding> WhatElse(std::vector<Included> parts, double share, double bound) {
  if (bound - share < kMuchMore) return std::nullopt;
  std::erase_if(parts, [](const Included& part) { return part.share.value < kPartWorthSaying; });
  if (parts.empty()) return std::nullopt;
  std::ranges::stable_sort(
      parts, [](const Included& a, const Included& b) { return a.share.value > b.share.value; });
  return Make(finding::StepBoundIncludes{.items = std::move(parts)});
}

// Why the suspect's time alone says nothing; a bound without a reason: other evidence says it.
std::optional<Bound> NoBound(const VerdictInput& input, SuspectId suspect) {
  if (HidesMuch(input.report.unrecognised)) return Bound{};
  if (suspect == SuspectId::kCommunication) {
    if (AbsentRanks(input) > 0) return Bound{};
    if (!input.host_exchange.empty()) {
      return Bound{{}, Make(finding::CommunicationOnTheHost{.backend = input.host_exchange}), {}};
    }
  }
  if (suspect == SuspectId::kDataPipeline && MayLoadConcurrently(input) && CoresAreShort(input)) {
    return Bound{{}, TakesCores(input), {}};
  }
  const double dispatch = OfSteps(input, At(input.times.total(), SubStage::kDispatch));
  if (suspect == SuspectId::kFrameworkOverhead && ComputesOnHost(input) && dispatch >= kInTheWay) {
    // Where another stage is to be fixed, fewer operators are not what it is about.
    const bool is_largest = LargestStage(input.times.total(), suspect) == SubStage::kDispatch;
    if (!is_largest) return Bound{};
    return Bound{{}, Make(finding::StepFewerOperators{}), {}};
  }
  return std::nullopt;
}

// Of a step: what would warm, where the host computes.
double WarmShare(const VerdictInput& input) {
  if (!ComputesOnHost(input)) return 0;
  const int64_t step_ns = std::max<int64_t>(input.times.total_ns() / StepCountOf(input), 1);
  return static_cast<double>(kWarmsBy) / static_cast<double>(step_ns);
}

Bound WithWarmRest(const VerdictInput& input, double share) {
  const int64_t step_ns = std::max<int64_t>(input.times.total_ns() / StepCountOf(input), 1);
  const int64_t rest_ns = std::llround((1 - share) * static_cast<double>(step_ns));
  if (rest_ns < (ComputesOnHost(input) ? kLeastRest : 1)) {
    return {{}, Make(finding::StepLittleRemains{.rest = std::max<int64_t>(rest_ns, 0)}), {}};
  }
  return {share + WarmShare(input), {}, {}};
}

}  // namespace

bool HasNoBound(const VerdictInput& input, SuspectId suspect) {
  return NoBound(input, suspect).has_value();
}

Bound BoundWithout(const VerdictInput& input, SuspectId suspect) {
  if (auto none = NoBound(input, suspect)) return *std::move(none);
  const Unsure unsure = UnsureOf(input, suspect);
  const double upper = UpperShare(input, suspect);
  Bound bound = WithWarmRest(input, upper + OfSteps(input, unsure.ns));
  if (!bound.share) return bound;
  const double share = ExactShares(BySuspect(input.times.total()))[static_cast<size_t>(suspect)];
  std::vector<Included> parts;
  for (auto [ns, part] : unsure.parts) {
    part.share = OfSteps(input, ns);
    parts.push_back(std::move(part));
  }
  parts.push_back({.share = WarmShare(input), .apart = false, .warm = true, .stage = ""});
  parts.push_back({.share = upper - share, .apart = false, .warm = false, .stage = ""});
  bound.more = WhatElse(std::move(parts), share, *bound.share);
  return bound;
}

Bound BoundOfStraggler(const VerdictInput& input, double gain) {
  if (auto none = NoBound(input, SuspectId::kCommunication)) return *std::move(none);
  Bound bound = WithWarmRest(input, gain);
  const double share = ExactShares(input.times.total())[static_cast<size_t>(SubStage::kStraggler)];
  if (bound.share && gain - share >= kMuchMore) {
    bound.more = Make(finding::StepBoundOfStraggler{.gain = gain});
  }
  return bound;
}

}  // namespace steptrace::analyze
