// SPDX-License-Identifier: Apache-2.0
#include "analyze/cost/cost.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analyze/input/system_signals.h"
#include "analyze/json/json_parts.h"
#include "analyze/json/sentence_json.h"
#include "analyze/stats/quantile.h"
#include "base/time.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

namespace finding = model::finding;

constexpr double kBytesPerGib = 1024.0 * 1024 * 1024;
// GPU time is measured to about a per cent: 1.004 GPUs need one.
constexpr double kSlack = 0.01;

std::optional<double> P95(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return Quantile(values, 0.95);
}

std::map<int32_t, std::set<int32_t>> RanksOf(const store::PackedSteps& steps) {
  std::map<int32_t, std::set<int32_t>> ranks;
  for (const store::StepRow& row : steps) ranks[row.node].insert(row.rank);
  return ranks;
}

// The most that any node uses: all are replaced alike.
template <class Member>
std::optional<double> Largest(const std::vector<NodeUse>& use, Member member) {
  std::optional<double> largest;
  for (const NodeUse& one : use) {
    if (one.*member) largest = std::max(largest.value_or(0), *(one.*member));
  }
  return largest;
}

template <class Member>
std::optional<double> Total(const std::vector<NodeUse>& use, Member member) {
  std::optional<double> sum;
  for (const NodeUse& one : use) {
    if (one.*member) sum = sum.value_or(0) + *(one.*member);
  }
  return sum;
}

const InstanceType* FindType(const CostInput& input) {
  if (!input.instance.empty()) {
    for (const InstanceType& type : input.types) {
      if (type.name == input.instance) return &type;
    }
    return nullptr;
  }
  const InstanceType* found = nullptr;
  for (const InstanceType& type : input.types) {
    const bool same = !input.use.empty() && input.use.front().cores == type.cores &&
                      input.use.front().gpus == type.gpus;
    if (!same) continue;
    if (found != nullptr) return nullptr;  // more than one: do not guess
    found = &type;
  }
  return found;
}

// What a node of the new type must hold, with what each figure was measured as.
struct Need {
  std::optional<double> cores, memory_gib, gpus, gpu_memory_gib;
  std::string gpu;
};

Need NeedOf(const std::vector<NodeUse>& use, const InstanceType* now) {
  Need need;
  need.cores = Largest(use, &NodeUse::cores_p95);
  need.gpus = Largest(use, &NodeUse::gpus_p95);
  need.memory_gib = Largest(use, &NodeUse::memory_p95_gib);
  if (now == nullptr) return need;
  need.gpu = now->gpu;
  if (const auto share = Largest(use, &NodeUse::memory_p95_share)) {
    if (!need.memory_gib) need.memory_gib = *share * now->memory_gib;
  }
  if (const auto share = Largest(use, &NodeUse::gpu_memory_p95_share)) {
    if (now->gpu_memory_gib > 0) need.gpu_memory_gib = *share * now->gpu_memory_gib;
  }
  return need;
}

bool SameGpu(const Need& need, const InstanceType& type) {
  return need.gpu.empty() || type.gpu.empty() || type.gpus == 0 || need.gpu == type.gpu;
}

bool HoldsNode(const Need& need, const InstanceType& type) {
  if (need.cores && *need.cores > type.cores) return false;
  if (need.memory_gib && *need.memory_gib > type.memory_gib) return false;
  if (need.gpu_memory_gib && type.gpu_memory_gib > 0 &&
      *need.gpu_memory_gib > type.gpu_memory_gib) {
    return false;
  }
  return !need.gpus || (type.gpus >= 1 && *need.gpus <= type.gpus + kSlack);
}

std::vector<model::Finding> NodeReasons(const Need& need, const InstanceType& type) {
  std::vector<model::Finding> reasons;
  if (need.gpus) {
    reasons.push_back(Make(finding::CostGpusOfNode{.used = *need.gpus, .has = type.gpus}));
  }
  if (need.cores) {
    reasons.push_back(Make(finding::CostCoresOfNode{.used = *need.cores, .has = type.cores}));
  }
  reasons.push_back(need.memory_gib ? Make(finding::CostMemoryOfNode{.used = *need.memory_gib,
                                                                     .has = type.memory_gib})
                                    : Make(finding::CostMemoryUnmeasured{}));
  if (need.gpu_memory_gib && type.gpu_memory_gib > 0) {
    reasons.push_back(
        Make(finding::CostGpuMemory{.used = *need.gpu_memory_gib, .has = type.gpu_memory_gib}));
  } else if (need.gpus) {
    reasons.push_back(Make(finding::CostGpuMemoryNotCompared{}));
  }
  return reasons;
}

// The cheapest first, the smaller one of equal prices.
bool Cheaper(const InstanceType& a, const InstanceType& b) {
  return std::tuple(a.price_per_hour, a.cores, a.name) <
         std::tuple(b.price_per_hour, b.cores, b.name);
}

const InstanceType* SmallestNode(const CostInput& input, const Need& need) {
  const InstanceType* best = nullptr;
  for (const InstanceType& type : input.types) {
    if (!HoldsNode(need, type) || !SameGpu(need, type)) continue;
    if (best == nullptr || Cheaper(type, *best)) best = &type;
  }
  return best;
}

Alternative AlternativeOf(AlternativeKind kind, const InstanceType& type, int32_t count,
                          const CostSection& section, double hours) {
  Alternative one;
  one.kind = kind;
  one.instance = type.name;
  one.count = count;
  one.price_per_hour = type.price_per_hour * count;
  one.money = one.price_per_hour * hours;
  if (section.price_per_hour > 0) {
    one.saving_share = 1 - one.price_per_hour / section.price_per_hour;
  }
  return one;
}

// GPUs set the number of machines: the processes of a data-parallel training follow them. Cores are
// then those of as many processes as there are GPUs, so the whole use need not fit; it is said.
void AddFewest(const CostInput& input, const InstanceType& type, double hours,
               CostSection& section) {
  const auto gpus = Total(input.use, &NodeUse::gpus_p95);
  const auto cores = Total(input.use, &NodeUse::cores_p95);
  if (!gpus || type.gpus == 0) return;
  const auto count =
      std::max<int32_t>(1, static_cast<int32_t>(std::ceil((*gpus - kSlack) / type.gpus)));
  if (count >= input.nodes) return;
  int32_t processes = 0;
  for (const NodeUse& one : input.use) processes += one.ranks > 0 ? one.ranks : one.gpus;
  Alternative one = AlternativeOf(AlternativeKind::kFewest, type, count, section, hours);
  one.reasons.push_back(Make(finding::CostGpusOfAll{.used = *gpus,
                                                    .machines = count,
                                                    .has = static_cast<int64_t>(count) * type.gpus,
                                                    .instance = type.name}));
  if (cores && processes > 0) {
    const double each = *cores / processes;
    if (each * type.gpus > type.cores) return;
    one.reasons.push_back(Make(finding::CostCoresOfProcesses{.processes = processes,
                                                             .used = *cores,
                                                             .each = each,
                                                             .needed = each * type.gpus,
                                                             .has = type.cores}));
    const int64_t all = static_cast<int64_t>(count) * type.cores;
    if (*cores > static_cast<double>(all)) {
      one.reasons.push_back(Make(finding::CostCoresMustShrink{.cores = all}));
    }
  }
  one.reasons.push_back(Make(finding::CostBatchGrows{}));
  section.alternatives.push_back(std::move(one));
}

void AddAlternatives(const CostInput& input, const InstanceType* now, double hours,
                     CostSection& section) {
  if (input.types.empty()) {
    section.notes.push_back(Make(finding::CostNoTypes{}));
    return;
  }
  const Need need = NeedOf(input.use, now);
  if (!need.cores && !need.gpus) {
    section.notes.push_back(Make(finding::CostUseUnmeasured{}));
    return;
  }
  const InstanceType* type = SmallestNode(input, need);
  if (type == nullptr) {
    section.notes.push_back(Make(finding::CostNoTypeHolds{}));
    return;
  }
  if (now != nullptr && type->name == now->name) {
    section.notes.push_back(Make(finding::CostNoneCheaper{.instance = now->name}));
  } else {
    Alternative same =
        AlternativeOf(AlternativeKind::kSameNodes, *type, input.nodes, section, hours);
    same.reasons = NodeReasons(need, *type);
    section.alternatives.push_back(std::move(same));
  }
  AddFewest(input, *type, hours, section);
  std::erase_if(section.alternatives,
                [](const Alternative& one) { return one.saving_share && *one.saving_share <= 0; });
}

// A type that was named need not be the run's.
void NoteOtherSize(const CostInput& input, const InstanceType& now, CostSection& section) {
  for (const NodeUse& one : input.use) {
    const bool more_cores = one.cores > now.cores, more_gpus = one.gpus > now.gpus;
    if (!more_cores && !more_gpus) continue;
    section.notes.push_back(Make(finding::CostOtherSize{.node = one.node,
                                                        .cores = one.cores,
                                                        .gpus = one.gpus,
                                                        .type_cores = now.cores,
                                                        .type_gpus = now.gpus,
                                                        .instance = now.name}));
    return;
  }
}

model::Finding WhyNoPrice(const CostInput& input) {
  if (input.types.empty()) return Make(finding::ReasonNoPrice{});
  if (input.instance.empty()) return Make(finding::ReasonTypeUnclear{});
  return Make(finding::ReasonTypeNotListed{.instance = input.instance});
}

void AddParts(const CostInput& input, double hours, CostSection& section) {
  const double whole_ns = hours * static_cast<double>(kNsPerHour);
  const auto part = [&](const char* name, std::optional<int64_t> ns) {
    if (!ns || whole_ns <= 0) return;
    const double share = std::clamp(static_cast<double>(*ns) / whole_ns, 0.0, 1.0);
    section.phases.push_back({name, share, share * section.money});
  };
  part("initialization", input.phases.initialization_ns);
  part("training", input.phases.training_ns);
  part("finalization", input.phases.finalization_ns);
  if (whole_ns <= 0 || input.steps_ns <= 0) return;
  const double steps = std::clamp(static_cast<double>(input.steps_ns) / whole_ns, 0.0, 1.0);
  for (const SuspectRow& suspect : input.suspects) {
    const double share = steps * suspect.share;
    section.suspects.push_back({suspect.name, share, share * section.money});
  }
}

}  // namespace

std::vector<NodeUse> MeasureUse(std::span<const CounterSeries> counters,
                                std::span<const store::NodeInfo> nodes,
                                const store::PackedSteps& steps) {
  const SystemSignals signals(counters);
  const auto ranks = RanksOf(steps);
  std::vector<NodeUse> result;
  for (const auto& [node, snapshots] : Snapshots(signals)) {
    NodeUse use;
    use.node = node;
    use.cores = static_cast<double>(signals.Cores(node));
    double memory_gib = 0;
    for (const store::NodeInfo& info : nodes) {
      if (info.node != node) continue;
      if (info.cpus > 0) use.cores = info.cpus;
      memory_gib = static_cast<double>(info.memory_bytes) / kBytesPerGib;
    }
    for (const SignalSeries* gpu : signals.Of(Signal::kGpu)) use.gpus += gpu->node == node;
    if (const auto found = ranks.find(node); found != ranks.end()) {
      use.ranks = static_cast<int32_t>(found->second.size());
    }
    std::vector<double> cpu, gpu, memory;
    for (const NodeSnapshot& one : snapshots) {
      if (one.cpu) cpu.push_back(std::max(0.0, *one.cpu) / 100 * use.cores);
      if (one.gpu) gpu.push_back(std::max(0.0, *one.gpu) / 100 * use.gpus);
      if (one.host_memory) memory.push_back(std::max(0.0, *one.host_memory) / 100);
    }
    if (use.cores > 0) use.cores_p95 = P95(cpu);
    use.gpus_p95 = P95(gpu);
    use.memory_p95_share = P95(memory);
    if (use.memory_p95_share && memory_gib > 0) {
      use.memory_p95_gib = *use.memory_p95_share * memory_gib;
    }
    for (const SignalSeries* one : signals.Of(Signal::kGpuMemory)) {
      if (one->node != node) continue;
      const double share = Quantile(one->values, 0.95) / 100;
      use.gpu_memory_p95_share = std::max(use.gpu_memory_p95_share.value_or(0), share);
    }
    result.push_back(use);
  }
  return result;
}

CostSection BuildCostSection(const CostInput& input) {
  CostSection section;
  section.use = input.use;
  section.count = input.nodes;
  const InstanceType* now = FindType(input);
  if (now != nullptr) section.instance = now->name;
  if (!input.price_per_hour && now == nullptr) {
    section.reason = WhyNoPrice(input);
    return section;
  }
  section.applicable = true;
  section.price_per_hour =
      input.price_per_hour ? *input.price_per_hour : now->price_per_hour * input.nodes;
  const double hours = static_cast<double>(std::max<int64_t>(input.duration_ns, 0)) /
                       static_cast<double>(kNsPerHour);
  section.money = section.price_per_hour * hours;
  AddParts(input, hours, section);
  if (now != nullptr) NoteOtherSize(input, *now, section);
  AddAlternatives(input, now, hours, section);
  return section;
}

namespace {

Json PartsJson(const std::vector<CostPart>& parts) {
  Json array = Json::array();
  for (const CostPart& one : parts) {
    array.push_back({{"name", one.name}, {"share", one.share}, {"money", one.money}});
  }
  return array;
}

Json UseJson(const NodeUse& use) {
  return {{"node", use.node},
          {"cores", use.cores},
          {"gpus", use.gpus},
          {"ranks", use.ranks},
          {"cores_p95", OrNull(use.cores_p95)},
          {"gpus_p95", OrNull(use.gpus_p95)},
          {"memory_p95_gib", OrNull(use.memory_p95_gib)},
          {"memory_p95_share", OrNull(use.memory_p95_share)},
          {"gpu_memory_p95_share", OrNull(use.gpu_memory_p95_share)}};
}

}  // namespace

nlohmann::ordered_json CostJson(const CostSection& section) {
  Json use = Json::array(), alternatives = Json::array();
  for (const NodeUse& one : section.use) use.push_back(UseJson(one));
  for (const Alternative& one : section.alternatives) {
    alternatives.push_back(
        {{"kind", one.kind == AlternativeKind::kFewest ? "fewest" : "same_nodes"},
         {"instance", one.instance},
         {"count", one.count},
         {"price_per_hour", one.price_per_hour},
         {"money", one.money},
         {"saving_share", OrNull(one.saving_share)},
         {"reasons", Each(one.reasons, FindingJson)}});
  }
  return {{"applicable", section.applicable},
          {"reason", section.reason ? FindingJson(*section.reason) : Json()},
          {"instance", section.instance},
          {"count", section.count},
          {"price_per_hour", section.price_per_hour},
          {"money", section.money},
          {"phases", PartsJson(section.phases)},
          {"suspects", PartsJson(section.suspects)},
          {"use", std::move(use)},
          {"alternatives", std::move(alternatives)},
          {"notes", Each(section.notes, FindingJson)}};
}

}  // namespace steptrace::analyze
