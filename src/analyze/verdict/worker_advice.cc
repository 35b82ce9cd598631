// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/worker_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "analyze/verdict/thresholds.h"
#include "model/finding_kinds.h"
#include "store/metadata_keys.h"
#include "store/metrics.h"

namespace steptrace::analyze {

namespace finding = model::finding;

namespace {

constexpr auto kSetting = store::kLoaderWorkersSetting;
// Starved less often than this, the workers keep up: a further one would idle beside them.
constexpr double kStarvedOften = 0.20;
// Waiting at once costs memory all the same.
constexpr int32_t kMostWaitingWorkers = 16;
// Of the step: a sampler that takes less is seen by chance, or is none of the loader's trouble.
constexpr double kSlowSampler = 0.02;
// Of the step: loading that takes less beside a slow sampler is not worth workers.
constexpr double kLittleToLoad = 0.05;
// Of the workers: fewer at work while the training waits, and some of them have nothing to do.
constexpr double kIdleWorkers = 0.7;
// A worker that mostly waits still computes a little.
constexpr double kNearlyEvery = 0.8;  // of the steps
constexpr double kLeastCoresPerWorker = 0.1;

struct Situation {
  int32_t workers = 0;  // of one rank
  int32_t ranks_on_node = 1;
  double starved_share = 0;          // of the step
  std::optional<double> free_cores;  // of the node
  double cores_per_worker = 1;
};

int32_t RanksOnNode(const VerdictInput& input) {
  const auto nodes = std::max<size_t>(input.report.run.nodes.size(), 1);
  const auto ranks = std::max<size_t>(input.times.ranks().size(), 1);
  return static_cast<int32_t>((ranks + nodes - 1) / nodes);
}

// Starved: loading that workers could do meanwhile; receiving is the parent's own work, and so is
// asking the sampler.
double StarvedShare(const VerdictInput& input) {
  const StageTimes& times = input.times.total();
  int64_t starved = At(times, SubStage::kCollate) + At(times, SubStage::kCpuShortage);
  for (SubStage stage : kSampledStages) starved += At(times, stage);
  int64_t sampler = 0;
  for (const StageFunction& one : input.waits.sampler) sampler += one.ns;
  sampler = std::min(sampler, At(times, SubStage::kDatasetCode));
  return static_cast<double>(starved - sampler) /
         static_cast<double>(std::max<int64_t>(input.times.total_ns(), 1));
}

bool SamplerIsSlow(const VerdictInput& input) {
  double share = 0;
  for (const StageFunction& one : input.waits.sampler) share += one.share;
  return share >= kSlowSampler;
}

// Most of what it starves by is waiting for a core: who waits for others then, waits for those that
// have none.
bool LacksCores(const VerdictInput& input) {
  const StageTimes& times = input.times.total();
  const double shortage = static_cast<double>(At(times, SubStage::kCpuShortage)) /
                          static_cast<double>(std::max<int64_t>(input.times.total_ns(), 1));
  return shortage > StarvedShare(input) / 2;
}

// What the job uses beyond its training threads, each of which computes while it does not wait.
double CoresPerWorker(const VerdictInput& input, const Situation& now) {
  const auto used = input.load.Mean(store::Metric::kJobCpu);
  if (!used || now.workers == 0) return 1;
  const double trainers = now.ranks_on_node * (1 - now.starved_share);
  const double workers = static_cast<double>(now.workers) * now.ranks_on_node;
  return std::clamp((*used - trainers) / workers, kLeastCoresPerWorker, 1.0);
}

Situation SituationOf(const VerdictInput& input, const LoaderFact& loader) {
  Situation now;
  now.workers = loader.workers;
  now.ranks_on_node = RanksOnNode(input);
  now.starved_share = StarvedShare(input);
  now.free_cores = input.load.free_cores();
  if (const auto free = input.load.free_cores_of_workers()) {
    now.free_cores = std::min(*free, now.free_cores.value_or(*free));
  }
  now.cores_per_worker = CoresPerWorker(input, now);
  return now;
}

// Workers that deliver a batch in the time of the rest of the step. Now `w` of them need a whole
// step for one: without any, the training thread itself needs the starved share of it.
int32_t NeededWorkers(const Situation& now) {
  const double rest = std::max(1 - now.starved_share, 0.02);
  const double load = now.workers == 0 ? now.starved_share : static_cast<double>(now.workers);
  return static_cast<int32_t>(std::clamp(std::ceil(load / rest), 1.0, 1024.0));
}

// Further workers of a rank that find a core.
int32_t RoomForWorkers(const Situation& now) {
  const double room = now.free_cores.value_or(0) / now.cores_per_worker / now.ranks_on_node;
  return static_cast<int32_t>(std::clamp(std::floor(room + 0.25), 0.0, 1024.0));
}

Advice Keep(int32_t workers, model::Finding what) {
  return {std::move(what), kSetting, fmt::format("{}", workers), ""};
}

Advice Propose(int32_t workers, int32_t proposed, model::Finding what) {
  return {std::move(what), kSetting, fmt::format("{}", workers), fmt::format("{}", proposed)};
}

// Those that the workers may use.
double CoresOfWorkers(const VerdictInput& input) {
  const double usable = input.load.usable_cores();
  return std::min(usable, input.load.allowed_cores_of_workers().value_or(usable));
}

// Whether a quota keeps it to those: what the workers may run on may be fewer.
bool KeptByQuota(const VerdictInput& input) {
  const auto quota = input.load.quota_cores();
  return quota && *quota <= CoresOfWorkers(input);
}

// The machine's cores, where the job may not run on all of them.
std::optional<double> MachineOfPart(const VerdictInput& input) {
  const bool part = input.load.allowed_cores() || input.load.allowed_cores_of_workers();
  return part ? std::optional(input.load.machine_cores()) : std::nullopt;
}

model::Finding NoCoreFor(const VerdictInput& input, int32_t workers) {
  const double others = input.load.others_cores();
  if (!input.load.quota_cores() && input.load.taken_by_others()) {
    return Make(finding::DataCoresTaken{
        .others = others, .cores = input.load.usable_cores(), .workers = workers});
  }
  return Make(finding::DataCoresFilled{.workers = workers,
                                       .cores = CoresOfWorkers(input),
                                       .quota = KeptByQuota(input),
                                       .machine = MachineOfPart(input)});
}

// Of an IterableDataset each worker iterates over what the dataset gives it, and batches are taken
// in turn: with fewer parts than workers the others end at once, with uneven ones they wait for the
// slowest. Further ones would as well.
std::optional<Advice> AdviseParts(const VerdictInput& input, const LoaderFact& loader) {
  if (!loader.iterable || loader.workers < 2 || !input.waits.workers_at_work) return std::nullopt;
  const double at_work = *input.waits.workers_at_work;
  // With less than half of one the stacks of those at work could not be read.
  if (at_work < 0.5 || at_work > kIdleWorkers * static_cast<double>(loader.workers)) {
    return std::nullopt;
  }
  return Keep(loader.workers,
              Make(finding::DataEvenParts{.at_work = at_work, .workers = loader.workers}));
}

}  // namespace

bool StartsWorkersEachStep(const VerdictInput& input) {
  const auto& steady = input.selection.steady;
  const auto starts = std::count_if(steady.begin(), steady.end(), [&](uint32_t i) {
    return input.report.steps[i].worker_start_ns > 0;
  });
  return static_cast<double>(starts) >= kNearlyEvery * static_cast<double>(steady.size());
}

bool WorkersKeepUp(const VerdictInput& input) {
  const StepCounts& counts = input.times.counts();
  return counts.waits > 0 && static_cast<double>(counts.starved_waits) <
                                 kStarvedOften * static_cast<double>(counts.waits);
}

std::optional<model::Finding> AdviseCoresOutside(const LoadSummary& load) {
  // What keeps all of the training keeps its workers too.
  const bool of_all = load.training_wants_cores_outside();
  if (!load.wants_cores_outside()) return std::nullopt;
  const auto allowed = of_all ? load.allowed_cores() : load.allowed_cores_of_workers();
  return Make(finding::CpuAllowMoreCores{
      .allowed = allowed.value_or(0), .cores = load.machine_cores(), .workers = !of_all});
}

std::optional<Advice> AdviseWorkers(const VerdictInput& input) {
  const LoaderFact* loader = TrainingLoader(input.facts);
  if (loader == nullptr) return std::nullopt;
  const Situation now = SituationOf(input, *loader);
  if (SamplerIsSlow(input) && now.starved_share < kLittleToLoad) return std::nullopt;
  if (WorkersKeepUp(input)) {
    return Keep(now.workers, Make(finding::DataKeepWorkers{.workers = now.workers}));
  }
  if (auto parts = AdviseParts(input, *loader)) return parts;
  // Where the job fills its cores, something of it works while the dataset waits: threads of a
  // library's, or a program that it started.
  const bool works = input.load.cores_of_workers_full() && !input.load.taken_by_others();
  if (input.waits.of_dataset >= kMostlyWaits && !works && !input.load.throttled() &&
      !LacksCores(input)) {
    const int32_t proposed = std::clamp(NeededWorkers(now), now.workers + 1,
                                        std::max(kMostWaitingWorkers, now.workers + 1));
    return Propose(
        now.workers, proposed,
        Make(finding::DataMoreWaitingWorkers{.proposed = proposed, .workers = now.workers}));
  }
  const int32_t room = RoomForWorkers(now);
  if (now.free_cores && (input.load.cores_of_workers_full() || room == 0)) {
    return Keep(now.workers, NoCoreFor(input, now.workers));
  }
  if (!now.free_cores) return std::nullopt;  // unknown use of the cores: no proposal
  const int32_t proposed =
      std::min(std::max(NeededWorkers(now), now.workers + 1), now.workers + room);
  if (now.workers == 0) {
    return Propose(0, proposed,
                   Make(finding::DataFirstWorkers{.proposed = proposed, .free = *now.free_cores}));
  }
  return Propose(now.workers, proposed,
                 Make(finding::DataMoreWorkers{.proposed = proposed,
                                               .workers = now.workers,
                                               .free = *now.free_cores,
                                               .cores = CoresOfWorkers(input),
                                               .quota = KeptByQuota(input),
                                               .machine = MachineOfPart(input)}));
}

// How many cores are free a profile does not say: some values to try, of those that a core is left
// for.
std::optional<Advice> AdviseSomeWorkers(std::span<const store::NodeInfo> nodes) {
  constexpr int64_t kFrom = 2, kTo = 4;
  int64_t cores = 0;  // of the smallest node; 0: unknown
  for (const store::NodeInfo& node : nodes) {
    if (node.cpus > 0 && (cores == 0 || node.cpus < cores)) cores = node.cpus;
  }
  if (cores == 1) return std::nullopt;
  const int64_t high = cores == 0 ? kTo : std::min(kTo, cores - 1);
  const int64_t low = std::min(kFrom, high);
  finding::DataLoadBeside what{.low = low};
  std::string proposed = fmt::format("{}", low);
  if (high > low) {
    what.high = high;
    proposed += fmt::format("-{}", high);
  }
  if (cores > 0) what.cores = static_cast<double>(cores);
  return Advice{Make(what), kSetting, "0", std::move(proposed)};
}

std::optional<Advice> AdviseProfiledLoader(const VerdictInput& input) {
  const store::StringTable* strings = input.report.profile->strings;
  if (input.report.profile_of_windows || strings == nullptr) return std::nullopt;
  const auto has = [strings](std::string_view iterator) {
    for (size_t i = 0; i < static_cast<size_t>(strings->size()); ++i) {
      if (strings->Text(static_cast<store::StringId>(i)).find(iterator) != std::string::npos) {
        return true;
      }
    }
    return false;
  };
  if (has("_MultiProcessingDataLoaderIter")) {
    return Advice{Make(finding::DataLookAtWorkers{}), "", "", ""};
  }
  if (has("_SingleProcessDataLoaderIter")) {
    return AdviseSomeWorkers(input.report.run.nodes);
  }
  return std::nullopt;
}

}  // namespace steptrace::analyze
