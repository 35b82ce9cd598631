// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/run_rows.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analyze/input/system_signals.h"
#include "base/time.h"
#include "store/metrics.h"
#include "store/row_stream.h"
#include "store/stored_words.h"

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
    info.rank_processes.push_back({.rank = rank.rank, .node = rank.node, .pid = rank.pid});
  }
  info.nodes = manifest.nodes;
  info.identity = manifest.identity;
  return info;
}

std::vector<analyze::LoaderWorker> WorkersOf(const std::vector<store::TrackRow>& tracks,
                                             const store::StringTable& strings) {
  std::vector<analyze::LoaderWorker> workers;
  for (const store::TrackRow& track : tracks) {
    if (!track.pid || store::TrackKindOf(strings.Text(track.kind)) != store::TrackKind::kWorker)
      continue;
    workers.push_back({track.node, *track.pid});
  }
  return workers;
}

Result<StoredSteps> ReadSteps(store::RunReader& run, const store::ReadOptions& options,
                              const TimeBounds& time_range) {
  StoredSteps steps;
  store::RowPacker<store::StepRow> packer;
  const auto begin = [&] {
    packer = {};
    steps.cut.clear();
  };
  const auto take = [&](std::span<const store::StepRow> rows) {
    steps.any |= !rows.empty();
    if (!time_range.any()) return packer.Add(rows);
    for (const store::StepRow& row : rows) {
      if (LiesIn(time_range, row)) {
        packer.Add(row);
      } else if (BeginsIn(time_range, row)) {
        steps.cut.push_back(row);
      }
    }
  };
  STEPTRACE_RETURN_IF_ERROR(store::StreamTable<store::StepRow>(run, options, begin, take));
  steps.rows = store::SortedByTime(packer.Take());
  return steps;
}

Result<store::PackedRows<store::StepStageRow>> ReadStepStages(store::RunReader& run,
                                                              const TimeBounds& time_range) {
  store::RowPacker<store::StepStageRow> packer;
  const auto take = [&](std::span<const store::StepStageRow> rows) {
    for (const store::StepStageRow& row : rows) {
      if (BeginsIn(time_range, row)) packer.Add(row);
    }
  };
  STEPTRACE_RETURN_IF_ERROR(store::StreamTable<store::StepStageRow>(
      run, {}, [&] { packer = {}; }, take));
  return packer.Take();
}

void KeepTimeRange(const TimeBounds& time_range, std::vector<store::StepRow>& steps,
                   std::vector<store::StepRow>& cut) {
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(cut), [&](const auto& step) {
    return BeginsIn(time_range, step) && !LiesIn(time_range, step);
  });
  std::erase_if(steps, [&](const auto& step) { return !LiesIn(time_range, step); });
}

analyze::TableRows TableRowsOf(const TimeBounds& time_range, std::span<const store::StepRow> cut) {
  return {.from_ns = time_range.from_ns, .to_ns = time_range.to_ns, .cut_steps = cut};
}

bool HasAllTracks(const store::RunReader& run, const std::vector<store::TrackRow>& tracks,
                  const std::vector<store::CounterRow>& counters) {
  const auto of_tracks = [](const store::DamagedSegment& one) {
    return one.table == store::TableOf<store::TrackRow>::kName;
  };
  if (std::any_of(run.damaged().begin(), run.damaged().end(), of_tracks)) return false;
  std::unordered_set<int32_t> known;
  for (const store::TrackRow& track : tracks) known.insert(track.track);
  return std::all_of(counters.begin(), counters.end(),
                     [&known](const auto& one) { return known.contains(one.track); });
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
