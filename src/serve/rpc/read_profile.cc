// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/read_profile.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "analyze/distributed/live_trace.h"
#include "analyze/trace/trace_builder.h"
#include "serve/rpc/trace_columns.h"
#include "store/columns_of.h"
#include "store/metadata_json.h"
#include "store/row_stream.h"
#include "store/run_parts.h"
#include "store/stored_words.h"

namespace steptrace::rpc {
namespace {

// The agent tells of the sources of its metrics by facts of the same kind, without a format.
bool IsImport(const store::RunMetadataRow& fact) {
  return store::Has(store::ParseMetadata(fact.json), store::MetadataKey::kFormat);
}

}  // namespace

std::optional<int64_t> NewestSlicesFrom(const store::RunReader& run, size_t most,
                                        std::optional<int64_t> to_ns) {
  const auto parts = store::FindParts(run.run(), run.manifest(), "slices");
  if (!parts.journals.empty()) return std::nullopt;
  uint64_t rows = 0;
  for (size_t i = parts.segments.size(); i-- > 0;) {
    if (to_ns && parts.segments[i].ts_min_ns >= to_ns) continue;
    rows += static_cast<uint64_t>(std::max<int64_t>(0, parts.segments[i].rows));
    if (rows > most && i > 0) return parts.segments[i].ts_min_ns;
  }
  return std::nullopt;
}

bool HoldsProfile(const std::vector<store::TrackRow>& tracks,
                  const std::vector<store::RunMetadataRow>& facts,
                  const store::StringTable& strings) {
  const auto is_stream = [&](const store::TrackRow& track) {
    return store::TrackKindOf(strings.Text(track.kind)) == store::TrackKind::kStream;
  };
  return std::any_of(tracks.begin(), tracks.end(), is_stream) || WasImported(facts, strings);
}

bool WasImported(const std::vector<store::RunMetadataRow>& facts,
                 const store::StringTable& strings) {
  return std::any_of(facts.begin(), facts.end(), [&](const auto& fact) {
    return strings.Text(fact.kind) == store::MetadataKind::kSource && IsImport(fact);
  });
}

std::map<int32_t, std::vector<store::TrackRow>> ProfileTracks(
    const std::vector<store::TrackRow>& tracks, const store::StringTable& strings) {
  std::map<int32_t, std::vector<store::TrackRow>> by_rank;
  for (const store::TrackRow& track : tracks) {
    const auto kind = store::TrackKindOf(strings.Text(track.kind));
    if (kind == store::TrackKind::kThread || kind == store::TrackKind::kStream) {
      by_rank[track.rank].push_back(track);
    }
  }
  return by_rank;
}

Result<analyze::Trace> LoadTrace(store::RunReader& run, const std::vector<store::TrackRow>& tracks,
                                 const std::vector<store::RunMetadataRow>& facts,
                                 const TimeBounds& bounds) {
  analyze::Trace trace;
  trace.strings = &run.strings();
  trace.facts = facts;
  for (const auto& [rank, of_rank] : ProfileTracks(tracks, run.strings())) {
    const store::ReadOptions slices_of = {
        .columns = TraceColumns(), .rank = rank, .from_ns = bounds.from_ns, .to_ns = bounds.to_ns};
    analyze::RankTraceBuilder builder(rank, of_rank, run.strings());
    STEPTRACE_RETURN_IF_ERROR(run.ReadBatches<store::SliceRow>(
        slices_of, [&builder](std::span<const store::SliceRow> slices) -> Status {
          builder.Add(slices);
          return {};
        }));
    STEPTRACE_ASSIGN_OR_RETURN(
        auto memory,
        run.Read<store::MemoryRow>(
            {.columns = {}, .rank = rank, .from_ns = bounds.from_ns, .to_ns = bounds.to_ns}));
    if (builder.empty() && memory.empty()) continue;
    trace.ranks.push_back(builder.Build(std::move(memory), analyze::LaneOrder::kByTime));
  }
  return trace;
}

namespace {

struct RankWindow {
  int32_t rank = 0;
  int64_t from_ns = 0;
  int64_t to_ns = 0;
};

void AddRankWindow(int32_t rank, const nlohmann::json& from, const nlohmann::json& to,
                   const TimeBounds& bounds, std::vector<RankWindow>& windows) {
  if (!from.is_number_integer() || !to.is_number_integer()) return;
  const RankWindow window{rank, std::max(from.get<int64_t>(), bounds.from_ns.value_or(INT64_MIN)),
                          std::min(to.get<int64_t>(), bounds.to_ns.value_or(INT64_MAX))};
  if (window.from_ns < window.to_ns) windows.push_back(window);
}

// What facts of kind `window` say (agent/capture/run_captures.cc), as far as it lies in the
// bounds.
std::vector<RankWindow> WindowsOf(const std::vector<store::RunMetadataRow>& facts,
                                  const store::StringTable& strings, const TimeBounds& bounds) {
  std::vector<RankWindow> windows;
  for (const store::RunMetadataRow& fact : facts) {
    if (strings.Text(fact.kind) != store::MetadataKind::kWindow) continue;
    const nlohmann::json json = store::ParseMetadata(fact.json);
    const nlohmann::json* from = store::Find(json, store::MetadataKey::kFromNs);
    const nlohmann::json* to = store::Find(json, store::MetadataKey::kToNs);
    if (from == nullptr || to == nullptr) continue;
    const nlohmann::json* time_ranges = store::Find(json, store::MetadataKey::kStretches);
    if (time_ranges == nullptr || !time_ranges->is_array()) {
      AddRankWindow(fact.rank, *from, *to, bounds, windows);
      continue;
    }
    for (const nlohmann::json& one : *time_ranges) {
      if (one.is_array() && one.size() == 2) {
        AddRankWindow(fact.rank, one[0], one[1], bounds, windows);
      }
    }
  }
  return windows;
}

// Functions of Python come with profiles that hold stacks.
bool IsOperator(const store::SliceRow& row, const store::StringTable& strings) {
  const std::string& category = strings.Text(row.category);
  return category == "operator" || category == "primitive" || category == "python_function";
}

// The rank's steps that lie in one of its windows as a whole, by begin.
std::vector<analyze::TraceStep> StepsIn(const store::PackedSteps& steps, int32_t rank,
                                        const std::vector<RankWindow>& windows) {
  std::vector<analyze::TraceStep> found;
  for (const store::StepRow& step : steps) {
    if (step.rank != rank || step.dur_ns <= 0) continue;
    const bool within = std::any_of(windows.begin(), windows.end(), [&](const RankWindow& window) {
      return window.rank == rank && LiesIn({window.from_ns, window.to_ns}, step);
    });
    if (within) found.push_back({step.step, step.ts_ns, step.dur_ns, 0});
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.ts_ns < b.ts_ns; });
  return found;
}

}  // namespace

void SetSteps(std::vector<analyze::TraceStep> steps, analyze::RankTrace& trace) {
  trace.steps = std::move(steps);
  const auto step_at = [&](int64_t ts_ns) {
    const auto after = std::partition_point(trace.steps.begin(), trace.steps.end(),
                                            [&](const auto& step) { return step.ts_ns <= ts_ns; });
    if (after == trace.steps.begin() || ts_ns >= std::prev(after)->end_ns()) return analyze::kNone;
    return static_cast<int32_t>(after - trace.steps.begin()) - 1;
  };
  for (analyze::TraceEvent& event : trace.host) event.step = step_at(event.ts_ns);
  for (analyze::TraceEvent& event : trace.device) {
    event.step = event.launch != analyze::kNone ? trace.host[static_cast<size_t>(event.launch)].step
                                                : step_at(event.ts_ns);
  }
}

Result<analyze::Trace> LoadOperators(store::RunReader& run,
                                     const std::vector<store::TrackRow>& tracks,
                                     const std::vector<store::RunMetadataRow>& facts,
                                     const store::PackedSteps& steps, const TimeBounds& bounds) {
  analyze::Trace trace;
  trace.strings = &run.strings();
  const std::vector<RankWindow> windows = WindowsOf(facts, run.strings(), bounds);
  if (windows.empty()) return trace;
  for (const auto& [rank, of_rank] : ProfileTracks(tracks, run.strings())) {
    analyze::RankTraceBuilder builder(rank, of_rank, run.strings());
    std::vector<store::MemoryRow> memory;
    for (const RankWindow& window : windows) {
      if (window.rank != rank) continue;
      STEPTRACE_ASSIGN_OR_RETURN(
          auto allocations,
          run.Read<store::MemoryRow>(
              {.columns = {}, .rank = rank, .from_ns = window.from_ns, .to_ns = window.to_ns}));
      memory.insert(memory.end(), allocations.begin(), allocations.end());
      const store::ReadOptions slices_of = {.columns = TraceColumns(),
                                            .rank = rank,
                                            .from_ns = window.from_ns,
                                            .to_ns = window.to_ns};
      STEPTRACE_RETURN_IF_ERROR(run.ReadBatches<store::SliceRow>(
          slices_of, [&](std::span<const store::SliceRow> slices) -> Status {
            std::vector<store::SliceRow> operators;
            std::copy_if(slices.begin(), slices.end(), std::back_inserter(operators),
                         [&](const auto& row) { return IsOperator(row, run.strings()); });
            builder.Add(operators);
            return {};
          }));
    }
    if (builder.empty() && memory.empty()) continue;
    analyze::RankTrace& built =
        trace.ranks.emplace_back(builder.Build(std::move(memory), analyze::LaneOrder::kByTime));
    // The run's own steps: few scripts that record windows mark them for a profiler too.
    if (built.steps.empty()) SetSteps(StepsIn(steps, rank, windows), built);
  }
  return trace;
}

namespace {

// The first step's begin from there on: within a step the ranks' calls of one collective may lie on
// both sides.
int64_t NextStepFrom(const store::PackedSteps& steps, int64_t from_ns) {
  std::optional<int64_t> next_ns;
  for (const store::StepRow& step : steps) {
    if (step.ts_ns >= from_ns) next_ns = std::min(next_ns.value_or(step.ts_ns), step.ts_ns);
  }
  return next_ns.value_or(from_ns);
}

}  // namespace

Result<LiveCollectives> LoadCollectives(store::RunReader& run,
                                        const std::vector<store::TrackRow>& tracks,
                                        const std::vector<store::RunMetadataRow>& facts,
                                        const store::PackedSteps& steps, const TimeBounds& bounds,
                                        size_t most) {
  LiveCollectives found;
  found.trace.strings = &run.strings();
  found.trace.facts = facts;
  const bool reported =
      std::any_of(facts.begin(), facts.end(), [&](const store::RunMetadataRow& fact) {
        return run.strings().Text(fact.kind) == store::MetadataKind::kCommunicator;
      });
  if (!reported) return found;
  const auto by_rank = ProfileTracks(tracks, run.strings());
  const size_t most_of_rank = std::max<size_t>(1, most / std::max<size_t>(1, by_rank.size()));
  // Half of the slices and more are none of these: operators, launches, workers.
  const auto newest_ns = NewestSlicesFrom(run, 4 * most, bounds.to_ns);
  const bool cut = newest_ns && *newest_ns > bounds.from_ns.value_or(INT64_MIN);
  int64_t from_ns = cut ? *newest_ns : INT64_MIN;
  const store::ReadOptions slices_of = {
      .columns = store::SliceColumnsWith<&store::SliceRow::correlation, &store::SliceRow::bytes,
                                         &store::SliceRow::sequence, &store::SliceRow::details>(),
      .rank = {},
      .from_ns = cut ? newest_ns : bounds.from_ns,
      .to_ns = bounds.to_ns};
  // All ranks at once: of a run that is being written they lie in one journal.
  std::map<int32_t, analyze::LiveTraceBuilder> builders;
  const auto begin = [&] {
    builders.clear();
    for (const auto& [rank, of_rank] : by_rank) {
      if (rank >= 0) builders.try_emplace(rank, rank, of_rank, run.strings(), most_of_rank);
    }
  };
  const auto take = [&builders](std::span<const store::SliceRow> slices) {
    while (!slices.empty()) {
      const auto other = std::find_if(slices.begin(), slices.end(), [&](const auto& row) {
        return row.rank != slices.front().rank;
      });
      const auto same = static_cast<size_t>(other - slices.begin());
      const auto builder = builders.find(slices.front().rank);
      if (builder != builders.end()) builder->second.Add(slices.first(same));
      slices = slices.subspan(same);
    }
  };
  STEPTRACE_RETURN_IF_ERROR(store::StreamTable<store::SliceRow>(run, slices_of, begin, take));
  for (const auto& [rank, builder] : builders) from_ns = std::max(from_ns, builder.from_ns());
  if (from_ns > INT64_MIN) from_ns = NextStepFrom(steps, from_ns);
  for (auto& [rank, builder] : builders) {
    builder.LeaveOutBefore(from_ns);
    found.trace.ranks.push_back(builder.Build(steps));
  }
  if (from_ns > INT64_MIN) found.from_ns = from_ns;
  return found;
}

}  // namespace steptrace::rpc
