// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/run_rows.h"

#include <algorithm>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "analyze/rules/system_signals.h"
#include "base/time.h"
#include "store/metrics.h"
#include "store/row_stream.h"

namespace steptrace::rpc {

analyze::RunInfo RunInfoOf(const store::RunReader& run) {
  const store::Manifest& manifest = run.manifest();
  analyze::RunInfo info;
  info.id = manifest.id;
  info.name = manifest.name;
  info.status = manifest.status;
  info.exit_code = manifest.exit_code;
  info.signal = manifest.signal;
  info.command = manifest.command;
  info.epoch_utc_ns = manifest.epoch_utc_ns;
  info.ranks = static_cast<int32_t>(manifest.ranks.size());
  for (const auto& rank : manifest.ranks) {
    info.rank_processes.push_back({rank.rank, rank.node, rank.pid});
  }
  for (const auto& node : manifest.nodes) {
    info.nodes.push_back({node.node, node.host, node.cpus, node.memory_bytes});
  }
  return info;
}

std::vector<analyze::LoaderWorker> WorkersOf(const std::vector<store::TrackRow>& tracks,
                                             const store::StringTable& strings) {
  std::vector<analyze::LoaderWorker> workers;
  for (const store::TrackRow& track : tracks) {
    if (!track.pid || strings.Text(track.kind) != "worker") continue;
    workers.push_back({track.node, *track.pid});
  }
  return workers;
}

Result<StoredSteps> ReadSteps(store::RunReader& run, const store::ReadOptions& options,
                              const std::function<bool(const store::StepRow&)>& keep) {
  StoredSteps steps;
  store::RowPacker<store::StepRow> packer;
  const auto begin = [&] { packer = {}; };
  const auto take = [&](std::span<const store::StepRow> rows) {
    steps.any |= !rows.empty();
    for (const store::StepRow& row : rows) {
      if (keep(row)) packer.Add(row);
    }
  };
  STEPTRACE_RETURN_IF_ERROR(store::StreamTable<store::StepRow>(run, options, begin, take));
  steps.rows = store::SortedByTime(packer.Take());
  return steps;
}

int64_t DurationOf(const store::RunReader& run, const store::PackedSteps& steps,
                   const std::vector<store::CounterRow>& counters) {
  if (run.manifest().end_ns) return *run.manifest().end_ns;
  if (run.state() == store::RunState::kLive) {
    return std::max<int64_t>(0, UtcNowNs() - run.manifest().epoch_utc_ns);
  }
  int64_t last = counters.empty() ? 0 : counters.back().ts_ns;
  for (const auto& step : steps) last = std::max(last, step.ts_ns + step.dur_ns);
  return last;
}

std::vector<analyze::CounterSeries> SeriesOf(const std::vector<store::TrackRow>& tracks,
                                             const std::vector<store::CounterRow>& counters) {
  std::vector<analyze::CounterSeries> series;
  std::unordered_map<int32_t, size_t> index;
  for (const auto& track : tracks) {
    if (!index.emplace(track.track, series.size()).second) continue;
    std::optional<store::Metric> metric = store::MetricNamed(track.name);
    analyze::CounterSeries one;
    one.metric = track.name;
    one.unit = metric ? store::NameOf(store::InfoOf(*metric).unit) : "";
    one.node = track.node;
    one.device = track.device;
    one.pid = track.pid;
    one.track = track.track;
    series.push_back(std::move(one));
  }
  for (const auto& counter : counters) {
    auto found = index.find(counter.track);
    if (found == index.end()) continue;
    series[found->second].times_ns.push_back(counter.ts_ns);
    series[found->second].values.push_back(counter.value);
  }
  std::erase_if(series, [](const auto& one) { return one.values.empty(); });
  return series;
}

std::vector<std::string> MetricsWithoutValues(const std::vector<store::TrackRow>& tracks,
                                              const std::vector<analyze::CounterSeries>& series) {
  std::set<std::string> without;
  for (const auto& track : tracks) {
    const std::span<const std::string> name(&track.name, 1);
    // Of profiles from elsewhere the rules know other names.
    if (store::MetricNamed(track.name) || !analyze::SignalsOf(name).empty()) {
      without.insert(track.name);
    }
  }
  for (const auto& one : series) without.erase(one.metric);
  return {without.begin(), without.end()};
}

}  // namespace steptrace::rpc
