// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/make_run_card.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "analyze/device/device_section.h"
#include "analyze/input/allowed_cores.h"
#include "analyze/input/job_facts.h"
#include "analyze/input/report_input.h"
#include "analyze/stats/distribution.h"
#include "store/metrics.h"

namespace steptrace::analyze {
namespace {

// A list that grows with the job names so many.
constexpr size_t kMostHosts = 64;
// Reasons of a lower clock that hold a device back: power and heat (docs/reference/metrics.md).
constexpr uint64_t kHeldBack = 4 | 8 | 32 | 64 | 128;
// Shares of throttling that differ by less say nothing of two runs.
constexpr double kAlikeThrottled = 0.05;

constexpr const char* kDataParallel = "data_parallel";
constexpr const char* kAnomalyMode = "torch.anomaly_mode";

const char* FlagText(bool flag) {
  return flag ? "true" : "false";
}

void AddLoader(const LoaderFact& loader, std::vector<NamedText>& settings) {
  settings.emplace_back("DataLoader.num_workers", std::to_string(loader.workers));
  if (loader.prefetch_factor) {
    settings.emplace_back("DataLoader.prefetch_factor", std::to_string(*loader.prefetch_factor));
  }
  if (loader.pin_memory) {
    settings.emplace_back("DataLoader.pin_memory", FlagText(*loader.pin_memory));
  }
  if (loader.persistent_workers) {
    settings.emplace_back("DataLoader.persistent_workers", FlagText(*loader.persistent_workers));
  }
}

const char* WrapperName(DataParallelFact::Kind kind) {
  switch (kind) {
    case DataParallelFact::Kind::kDistributed:
      return "DistributedDataParallel";
    case DataParallelFact::Kind::kFullySharded:
      return "FullyShardedDataParallel";
    case DataParallelFact::Kind::kFullyShard:
      return "fully_shard";
  }
  return "";
}

std::vector<NamedText> SettingsOf(const JobFacts& facts) {
  std::vector<NamedText> settings;
  if (const LoaderFact* loader = TrainingLoader(facts)) AddLoader(*loader, settings);
  if (facts.intraop_threads) {
    settings.emplace_back("torch.num_threads", std::to_string(*facts.intraop_threads));
  }
  if (facts.data_parallel) {
    settings.emplace_back(kDataParallel, WrapperName(facts.data_parallel->kind));
  }
  if (facts.detects_anomalies) settings.emplace_back(kAnomalyMode, "true");
  return settings;
}

// What one process tells of the world is 1 where it says nothing: one rank alone is no news.
std::optional<int64_t> WorldSizeOf(const ReportInput& input, const JobFacts& facts) {
  const int64_t ranks = std::max<int64_t>(facts.world_size, input.run.ranks);
  return ranks > 0 ? std::optional(ranks) : std::nullopt;
}

void AddAllowedCores(const ReportInput& input, std::vector<CardHost>& hosts) {
  const AllowedCores allowed(input.run, input.facts, *input.strings);
  for (CardHost& host : hosts) {
    if (host.cpus && allowed.KnowsOf(host.node)) {
      host.allowed_cores = allowed.CountOn(host.node, static_cast<int32_t>(*host.cpus));
    }
  }
}

std::optional<int64_t> CpusOf(const ReportInput& input) {
  int64_t sum = 0;
  for (const store::NodeInfo& node : input.run.nodes) {
    if (node.cpus <= 0) return std::nullopt;
    sum += node.cpus;
  }
  return sum > 0 ? std::optional(sum) : std::nullopt;
}

std::string PrecisionOf(const DevicesSection& section) {
  std::map<std::string, int64_t> by_name;
  for (const DeviceTimes& device : section.devices) {
    for (const PrecisionTime& time : device.precisions) {
      by_name[PrecisionName(time.precision)] += time.ns;
    }
  }
  by_name.erase("");
  const auto most =
      std::ranges::max_element(by_name, {}, [](const auto& one) { return one.second; });
  return most == by_name.end() ? "" : most->first;
}

// Of the readings of all devices.
std::optional<double> GpuThrottled(const ReportInput& input) {
  size_t readings = 0, held_back = 0;
  for (const CounterSeries& series : input.counters) {
    if (series.metric != store::Metric::kGpuThrottleReasons) continue;
    readings += series.values.size();
    held_back += static_cast<size_t>(std::ranges::count_if(series.values, [](double bits) {
      return bits > 0 && bits < 0x1p53 && (static_cast<uint64_t>(bits) & kHeldBack) != 0;
    }));
  }
  if (readings == 0) return std::nullopt;
  return static_cast<double>(held_back) / static_cast<double>(readings);
}

std::optional<double> CpuThrottled(const ReportInput& input) {
  double sum = 0;
  int64_t nodes = 0;
  for (const CounterSeries& series : input.counters) {
    if (series.metric != store::Metric::kCgroupThrottledShare) continue;
    if (const auto values = Describe(series.values)) {
      sum += values->mean;
      ++nodes;
    }
  }
  return nodes > 0 ? std::optional(sum / static_cast<double>(nodes)) : std::nullopt;
}

template <class Known>
bool Differ(const std::optional<Known>& a, const std::optional<Known>& b) {
  return a && b && *a != *b;
}

bool Differ(std::string_view a, std::string_view b) {
  return !a.empty() && !b.empty() && a != b;
}

// In any order.
bool Differ(std::vector<std::string> a, std::vector<std::string> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return !a.empty() && !b.empty() && a != b;
}

// Hooks report these whenever they are in use; a run without any other setting may have it all the
// same.
constexpr std::string_view kReportedInUse[] = {kDataParallel, kAnomalyMode};

bool LacksOneInUse(const std::vector<NamedText>& a, const std::vector<NamedText>& b) {
  return std::ranges::any_of(a, [&b](const NamedText& one) {
    return std::ranges::find(kReportedInUse, one.first) != std::end(kReportedInUse) &&
           std::ranges::find(b, one.first, &NamedText::first) == b.end();
  });
}

// What both report, and what one would report if it had it.
bool Differ(const std::vector<NamedText>& a, const std::vector<NamedText>& b) {
  if (a.empty() || b.empty()) return false;
  const bool unlike = std::ranges::any_of(a, [&b](const NamedText& one) {
    const auto other = std::ranges::find(b, one.first, &NamedText::first);
    return other != b.end() && other->second != one.second;
  });
  return unlike || LacksOneInUse(a, b) || LacksOneInUse(b, a);
}

bool DifferInShare(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b && std::abs(*a - *b) >= kAlikeThrottled;
}

}  // namespace

RunCard MakeRunCard(const ReportInput& input, const JobFacts& facts) {
  RunCard card;
  for (const store::NodeInfo& node : input.run.nodes) {
    if (card.hosts.size() == kMostHosts) break;
    card.hosts.push_back(
        {node.node, node.host, node.cpus > 0 ? std::optional<int64_t>(node.cpus) : std::nullopt,
         std::nullopt, node.memory_bytes > 0 ? std::optional(node.memory_bytes) : std::nullopt});
  }
  if (input.strings != nullptr) AddAllowedCores(input, card.hosts);
  card.devices = facts.devices;
  card.gpus = facts.machine_gpus;
  card.frameworks = facts.frameworks;
  card.python = facts.python;
  card.cuda = facts.cuda;
  card.hip = facts.hip;
  card.world_size = WorldSizeOf(input, facts);
  card.backend = facts.backend;
  card.batch_size = TrainingBatchSize(facts);
  if (const LoaderFact* loader = TrainingLoader(facts)) card.workers = loader->workers;
  card.settings = SettingsOf(facts);
  card.imported_as = facts.imported_as;
  card.writers.assign(facts.writers.begin(), facts.writers.end());
  const store::RunIdentity& identity = input.run.identity;
  card.job_id = identity.job_id;
  card.attempt = identity.attempt;
  card.git_commit = identity.git_commit;
  card.git_changed = facts.code_changed;
  card.tags.assign(identity.tags.begin(), identity.tags.end());
  return card;
}

Comparability MakeComparability(const ReportInput& input, const JobFacts& facts,
                                const DevicesSection* devices) {
  Comparability made;
  made.hosts = static_cast<int64_t>(input.run.nodes.size());
  made.cpus = CpusOf(input);
  made.devices = facts.devices;
  made.world_size = WorldSizeOf(input, facts);
  made.batch_size = TrainingBatchSize(facts);
  if (devices != nullptr) made.precision = PrecisionOf(*devices);
  made.versions = facts.frameworks;
  made.cpu_throttled = CpuThrottled(input);
  made.gpu_throttled = GpuThrottled(input);
  made.settings = SettingsOf(facts);
  return made;
}

std::vector<std::string> UnlikeParts(const Comparability& a, const Comparability& b) {
  std::vector<std::string> unlike;
  const auto add = [&unlike](bool differs, const char* name) {
    if (differs) unlike.emplace_back(name);
  };
  const bool hosts = a.hosts > 0 && b.hosts > 0 && a.hosts != b.hosts;
  add(hosts || Differ(a.cpus, b.cpus) || Differ(a.devices, b.devices), "hardware");
  add(Differ(a.world_size, b.world_size), "world_size");
  add(Differ(a.batch_size, b.batch_size), "batch_size");
  add(Differ(a.precision, b.precision), "precision");
  add(Differ(a.versions, b.versions), "versions");
  add(DifferInShare(a.cpu_throttled, b.cpu_throttled) ||
          DifferInShare(a.gpu_throttled, b.gpu_throttled),
      "throttling");
  add(Differ(a.settings, b.settings), "settings");
  return unlike;
}

int64_t KnownParts(const Comparability& one) {
  const std::array<bool, 7> known = {one.cpus.has_value() || !one.devices.empty(),
                                     one.world_size.has_value(),
                                     one.batch_size.has_value(),
                                     !one.precision.empty(),
                                     !one.versions.empty(),
                                     one.cpu_throttled || one.gpu_throttled,
                                     !one.settings.empty()};
  return std::count(known.begin(), known.end(), true);
}

}  // namespace steptrace::analyze
