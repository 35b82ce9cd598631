// SPDX-License-Identifier: Apache-2.0
#include "analyze/memory/memory_kinds.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "analyze/input/report_input.h"
#include "analyze/json/json_parts.h"
#include "analyze/stats/distribution.h"
#include "store/metrics.h"

namespace steptrace::analyze {
namespace {

constexpr int kKindSparklineParts = 24;
constexpr std::pair<const char*, const char*> kMemoryKinds[] = {
    {NameOf(store::Metric::kProcessRssAnon), "anonymous"},
    {NameOf(store::Metric::kProcessRssFile), "file"},
    {NameOf(store::Metric::kProcessRssShmem), "shared"},
};

// A run from elsewhere may hold anything.
bool IsUsable(const CounterSeries& series) {
  constexpr double kMost = 1e18;
  const auto sane = [](double value) { return value >= 0 && value < kMost; };
  return series.pid && !series.device && !series.values.empty() &&
         series.values.size() == series.times_ns.size() &&
         std::is_sorted(series.times_ns.begin(), series.times_ns.end()) &&
         std::all_of(series.values.begin(), series.values.end(), sane);
}

// Every moment at which one of the series was sampled. Those of a node share most of theirs.
std::vector<int64_t> MomentsOf(const std::vector<const CounterSeries*>& all) {
  std::vector<int64_t> moments, merged;
  for (const CounterSeries* one : all) {
    merged.clear();
    std::set_union(moments.begin(), moments.end(), one->times_ns.begin(), one->times_ns.end(),
                   std::back_inserter(merged));
    moments.swap(merged);
  }
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  return moments;
}

void AddTo(std::vector<double>& sums, const std::vector<int64_t>& moments,
           const CounterSeries& series, const LastSamples& last) {
  const bool ended = last.Ended(series.node, *series.pid);
  const auto first = std::lower_bound(moments.begin(), moments.end(), series.times_ns.front());
  size_t at = 0;
  for (auto i = static_cast<size_t>(first - moments.begin()); i < moments.size(); ++i) {
    while (at + 1 < series.times_ns.size() && series.times_ns[at + 1] <= moments[i]) ++at;
    if (ended && moments[i] > series.times_ns.back()) return;
    sums[i] += series.values[at];
  }
}

KindMemory Sum(const std::vector<const CounterSeries*>& all, const std::vector<int64_t>& moments,
               const LastSamples& last, int64_t duration_ns) {
  std::vector<double> sums(moments.size());
  for (const CounterSeries* one : all) AddTo(sums, moments, *one, last);
  KindMemory kind;
  kind.processes = static_cast<int64_t>(all.size());
  kind.bytes = sums.back();
  kind.peak_bytes = *std::max_element(sums.begin(), sums.end());
  kind.sparkline = Sparkline(moments, sums, 0, duration_ns, kKindSparklineParts);
  return kind;
}

}  // namespace

bool IsResidentMetric(std::string_view metric) {
  using enum store::Metric;
  return metric == kProcessRss || metric == kProcessRssAnon || metric == kProcessRssFile ||
         metric == kProcessRssShmem;
}

void LastSamples::Note(const CounterSeries& series) {
  if (!series.pid || !IsResidentMetric(series.metric) || series.times_ns.empty()) return;
  Newest& node = nodes_[series.node];
  const std::vector<int64_t>& times = series.times_ns;
  for (const int64_t ts_ns : std::span(times).last(std::min<size_t>(times.size(), 2))) {
    if (ts_ns > node.last_ns) {
      node.before_ns = std::exchange(node.last_ns, ts_ns);
    } else if (ts_ns < node.last_ns) {
      node.before_ns = std::max(node.before_ns, ts_ns);
    }
  }
  const auto [process, added] = processes_.try_emplace({series.node, *series.pid}, times.back());
  process->second = std::max(process->second, times.back());
}

bool LastSamples::Ended(int32_t node, int64_t pid) const {
  const auto process = processes_.find({node, pid});
  return process != processes_.end() && process->second < nodes_.at(node).before_ns;
}

const char* NameOf(ProcessClass process_class) {
  switch (process_class) {
    case ProcessClass::kRank:
      return "rank";
    case ProcessClass::kWorker:
      return "worker";
    case ProcessClass::kOther:
      break;
  }
  return "other";
}

ProcessClass ProcessClasses::Of(int32_t node, int64_t pid) const {
  const auto is_it = [=](const auto& one) { return one.node == node && one.pid == pid; };
  if (std::any_of(ranks.begin(), ranks.end(), is_it)) return ProcessClass::kRank;
  if (std::any_of(workers.begin(), workers.end(), is_it)) return ProcessClass::kWorker;
  return ProcessClass::kOther;
}

std::vector<KindMemory> SumMemoryKinds(std::span<const CounterSeries> counters,
                                       const ProcessClasses& classes, int64_t duration_ns) {
  using GroupKey = std::tuple<int32_t, ProcessClass, size_t>;  // node, class, kind
  std::map<GroupKey, std::vector<const CounterSeries*>> groups;
  std::map<int32_t, std::vector<const CounterSeries*>> nodes;
  LastSamples last;
  for (const CounterSeries& series : counters) {
    for (size_t kind = 0; kind < std::size(kMemoryKinds); ++kind) {
      if (series.metric != kMemoryKinds[kind].first || !IsUsable(series)) continue;
      groups[{series.node, classes.Of(series.node, *series.pid), kind}].push_back(&series);
      nodes[series.node].push_back(&series);
      last.Note(series);
    }
  }
  std::map<int32_t, std::vector<int64_t>> moments;
  for (const auto& [node, all] : nodes) moments[node] = MomentsOf(all);
  std::vector<KindMemory> kinds;
  for (const auto& [key, all] : groups) {
    const auto& [node, process_class, kind] = key;
    KindMemory& one = kinds.emplace_back(Sum(all, moments.at(node), last, duration_ns));
    one.node = node;
    one.process_class = process_class;
    one.kind = kMemoryKinds[kind].second;
  }
  return kinds;
}

nlohmann::ordered_json MemoryKindsJson(std::span<const KindMemory> kinds) {
  return Each(kinds, [](const KindMemory& one) -> Json {
    return {{"node", one.node},
            {"class", NameOf(one.process_class)},
            {"kind", one.kind},
            {"processes", one.processes},
            {"bytes", static_cast<int64_t>(one.bytes)},
            {"peak_bytes", static_cast<int64_t>(one.peak_bytes)},
            {"sparkline", one.sparkline}};
  });
}

}  // namespace steptrace::analyze
