// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/rules.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyze/report/sections.h"
#include "analyze/stats/distribution.h"
#include "serve/rpc/load_report.h"
#include "serve/rpc/read_profile.h"
#include "serve/rpc/run_rows.h"
#include "serve/rpc/steps.h"
#include "store/columns_of.h"
#include "store/event_categories.h"
#include "store/row_stream.h"
#include "store/run_reader.h"

namespace steptrace::rpc {
namespace {

constexpr const char* kStepMark = "Step:ModeKeys";

// What the rules want of the slices: steps as marked, work of loaders, time by name.
struct SliceParts {
  std::vector<analyze::FrameworkStep> marks;
  std::vector<analyze::LoaderEvent> loaders;
  std::vector<analyze::FrameworkTotal> totals;
  std::vector<analyze::DeviceUse> device_use;
};

enum class Source : uint8_t { kLive, kImported };

// The reference's names for groups of operators; empty: not a total of its report.
const char* GroupOf(const std::string& category) {
  if (category == "cpu_op") return "cpu";
  if (store::IsStreamWork(category)) return "gpu";
  if (category == "horovod" || category == "framework") return category.c_str();
  return "";
}

bool IsLoading(const std::string& category, const std::string& name) {
  if (category == "worker") return name != "collate" && name != "getitem" && name != "put";
  return category == "data_wait" && name.find("DataLoaderIter") != std::string::npos &&
         name.find("Initialize") == std::string::npos;
}

bool IsEvaluation(const std::string& name) {
  return name.find("EVAL") != std::string::npos || name.find("PREDICT") != std::string::npos;
}

// Gathers them batch by batch: a run may have more slices than memory has room for.
class SlicePartsBuilder {
 public:
  // `source`: of a live run devices are known in its windows alone, and nothing is said of them.
  SlicePartsBuilder(const std::vector<store::TrackRow>& tracks, const store::StringTable& strings,
                    Source source)
      : strings_(strings), source_(source) {
    for (const auto& track : tracks) track_of_.emplace(track.track, &track);
  }

  void Add(std::span<const store::SliceRow> slices) {
    for (const store::SliceRow& slice : slices) Add(slice);
  }

  // By time, as the rules want them, in whichever order their segments were read.
  SliceParts Finish(const store::PackedSteps& steps) {
    parts_.device_use = devices_.Finish(steps, strings_);
    const auto earlier = [](const auto& a, const auto& b) { return a.ts_ns < b.ts_ns; };
    std::stable_sort(parts_.marks.begin(), parts_.marks.end(), earlier);
    std::stable_sort(parts_.loaders.begin(), parts_.loaders.end(), earlier);
    for (const auto& [key, sum] : sums_) {
      const std::string group = GroupOf(strings_.Text(key.first));
      if (group.empty()) continue;
      parts_.totals.push_back({group, strings_.Text(key.second), sum.ns, sum.count});
    }
    return std::move(parts_);
  }

 private:
  struct Sum {
    int64_t ns = 0;
    int64_t count = 0;
    bool marks = false;
    bool loads = false;
    bool on_device = false;
  };

  // Texts are looked at once for each pair of them.
  Sum& SumOf(const store::SliceRow& slice) {
    const auto [found, added] = sums_.try_emplace({slice.category, slice.name});
    if (added) {
      const std::string& category = strings_.Text(slice.category);
      const std::string& name = strings_.Text(slice.name);
      found->second.marks = category == "step" && name.find(kStepMark) != std::string::npos;
      found->second.loads = !found->second.marks && IsLoading(category, name);
      const analyze::EventKind kind = analyze::KindOf(category, name);
      found->second.on_device =
          source_ == Source::kImported &&
          (kind == analyze::EventKind::kKernel || kind == analyze::EventKind::kMemcpy ||
           kind == analyze::EventKind::kMemset);
    }
    return found->second;
  }

  void Add(const store::SliceRow& slice) {
    Sum& sum = SumOf(slice);
    if (slice.dur_ns > 0 && sum.ns < INT64_MAX / 2) sum.ns += slice.dur_ns;
    ++sum.count;
    if (!sum.marks && !sum.loads && !sum.on_device) return;
    const auto found = track_of_.find(slice.track);
    const int32_t node = found == track_of_.end() ? 0 : found->second->node;
    if (sum.on_device) {
      const int32_t device = found == track_of_.end() ? -1 : found->second->device.value_or(-1);
      const int64_t end_ns = SaturatingAdd(slice.ts_ns, slice.dur_ns);
      devices_.Add(node, slice.rank, device, {slice.ts_ns, end_ns});
    } else if (sum.marks) {
      parts_.marks.push_back({.ts_ns = slice.ts_ns,
                              .dur_ns = slice.dur_ns,
                              .step = slice.step.value_or(0),
                              .node = node,
                              .rank = slice.rank,
                              .eval = IsEvaluation(strings_.Text(slice.name))});
    } else {
      const int64_t pid = found == track_of_.end() ? 0 : found->second->pid.value_or(0);
      parts_.loaders.push_back({slice.ts_ns, slice.dur_ns, node, pid});
    }
  }

  const store::StringTable& strings_;
  Source source_;
  analyze::DeviceUseBuilder devices_;
  std::unordered_map<int32_t, const store::TrackRow*> track_of_;
  std::map<std::pair<store::StringId, store::StringId>, Sum> sums_;
  SliceParts parts_;
};

// What the rows of a run come to; they are gone.
struct Ruled {
  std::string run_name;
  analyze::RunInfo run;
  analyze::ProfilingReport report;
  std::vector<analyze::NodeUse> use;
  std::vector<analyze::FindingLine> findings;
  std::vector<store::DamagedSegment> damaged;
};

Result<std::vector<analyze::DeviceMemory>> MemoryOf(store::RunReader& run,
                                                    const TimeBounds& time_range,
                                                    const store::PackedSteps& steps,
                                                    std::span<const store::RunMetadataRow> facts) {
  store::ReadOptions wanted;
  wanted.from_ns = time_range.from_ns;
  wanted.to_ns = time_range.to_ns;
  wanted.columns = {"ts_ns", "rank", "device", "bytes", "total_allocated_bytes"};
  analyze::DeviceMemoryBuilder builder;
  STEPTRACE_RETURN_IF_ERROR(store::StreamTable<store::MemoryRow>(
      run, wanted, [&builder] { builder = {}; },
      [&builder](std::span<const store::MemoryRow> rows) { builder.Add(rows); }));
  return builder.Finish(steps, facts, run.strings());
}

Result<Ruled> Rule(const std::filesystem::path& path, const analyze::RuleSettings& settings,
                   const TimeBounds& time_range) {
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader run, store::RunReader::Open(path));
  STEPTRACE_ASSIGN_OR_RETURN(auto tracks, run.Read<store::TrackRow>());
  store::ReadOptions wanted;
  wanted.from_ns = time_range.from_ns;
  wanted.to_ns = time_range.to_ns;
  STEPTRACE_ASSIGN_OR_RETURN(auto counters, run.Read<store::CounterRow>(wanted));
  const auto lies_in = [&time_range](const auto& step) { return LiesIn(time_range, step); };
  STEPTRACE_ASSIGN_OR_RETURN(StoredSteps stored, ReadSteps(run, wanted, time_range));
  store::PackedSteps& steps = stored.rows;
  STEPTRACE_ASSIGN_OR_RETURN(auto facts, run.Read<store::RunMetadataRow>());
  STEPTRACE_ASSIGN_OR_RETURN(auto losses, run.Read<store::DataLossRow>());
  STEPTRACE_ASSIGN_OR_RETURN(auto findings, run.Read<store::FindingRow>());
  if (steps.empty()) {  // of a run that cannot be written
    STEPTRACE_ASSIGN_OR_RETURN(auto marked, MarkedSteps(run));
    if (!marked.empty()) stored.cut.clear();
    KeepTimeRange(time_range, marked, stored.cut);
    steps = marked;
  }
  wanted.columns = store::SliceColumnsWith<&store::SliceRow::step>();
  std::optional<SlicePartsBuilder> slices;
  STEPTRACE_RETURN_IF_ERROR(store::StreamTable<store::SliceRow>(
      run, wanted,
      [&] {
        const bool imported = WasImported(facts, run.strings());
        slices.emplace(tracks, run.strings(), imported ? Source::kImported : Source::kLive);
      },
      [&slices](std::span<const store::SliceRow> rows) { slices->Add(rows); }));
  SliceParts parts = slices->Finish(steps);
  std::erase_if(parts.marks, std::not_fn(lies_in));
  std::vector<analyze::DeviceMemory> device_memory;
  if (WasImported(facts, run.strings())) {  // of a live run, windows alone tell it
    STEPTRACE_ASSIGN_OR_RETURN(device_memory, MemoryOf(run, time_range, steps, facts));
  }
  const auto series = SeriesOf(tracks, counters);
  analyze::RulesInput input;
  input.run = RunInfoOf(run);
  input.run.duration_ns = DurationOf(run, steps, counters);
  input.counters = series;
  std::vector<std::string> outside;
  if (time_range.any()) outside = MetricsWithoutValues(tracks, series);
  input.metrics_outside = outside;
  input.steps = steps;
  input.strings = &run.strings();
  input.facts = facts;
  input.losses = losses;
  input.tables = TableRowsOf(time_range, stored.cut);
  input.tables.has_tracks = HasAllTracks(run, tracks, counters);
  input.step_marks = parts.marks;
  input.loader_events = parts.loaders;
  input.framework_totals = parts.totals;
  input.device_use = parts.device_use;
  input.device_memory = device_memory;
  input.has_begin = time_range.from_ns.value_or(0) <= 0;
  input.has_end = !time_range.to_ns || *time_range.to_ns >= input.run.duration_ns;
  return Ruled{.run_name = run.manifest().name,
               .run = input.run,
               .report = analyze::BuildProfilingReport(input, settings),
               .use = analyze::MeasureUse(input.counters, input.run.nodes, input.steps),
               .findings = analyze::MakeFindings(findings, run.strings(), input.run.nodes),
               .damaged = run.damaged()};
}

// The suspects and phases of the report itself, so that what is billed is what it names.
analyze::CostSection CostOf(const std::filesystem::path& path, Ruled& ruled,
                            const CostRequest& request, const TimeBounds& time_range,
                            const analyze::Report* billed) {
  analyze::CostInput cost;
  cost.duration_ns = ruled.run.duration_ns;
  cost.nodes = std::max<int32_t>(1, static_cast<int32_t>(ruled.run.nodes.size()));
  cost.use = std::move(ruled.use);
  cost.price_per_hour = request.price_per_hour;
  cost.instance = request.instance;
  cost.types = request.types;
  // Without any price there is nothing to bill, and the report of a long profile takes minutes.
  if (billed != nullptr) {
    cost.phases = billed->phases;
    cost.steps_ns = billed->steps.training_wall_ns;
    cost.suspects = billed->suspects;
  } else if (request.has_price()) {
    ReportRequest options;
    options.tensor_cores = request.tensor_cores;
    options.stages = request.stages;
    options.from_ns = time_range.from_ns;
    options.to_ns = time_range.to_ns;
    auto report = LoadReport(path, options);
    if (report.ok()) {
      cost.phases = std::move(report->phases);
      cost.steps_ns = report->steps.training_wall_ns;
      cost.suspects = std::move(report->suspects);
    }
  }
  return analyze::BuildCostSection(cost);
}

}  // namespace

Result<RulesAnswer> LoadRules(const std::filesystem::path& path,
                              const analyze::RuleSettings& settings, const CostRequest& cost,
                              const TimeBounds& time_range, const analyze::Report* billed) {
  // Where they find no room the rules go without them, as in a folder that cannot be written.
  (void)StoreMarkedSteps(path);
  // One after the other: their rows are not in memory together.
  STEPTRACE_ASSIGN_OR_RETURN(Ruled ruled, Rule(path, settings, time_range));
  analyze::CostSection costs = CostOf(path, ruled, cost, time_range, billed);
  return RulesAnswer{.run_name = std::move(ruled.run_name),
                     .report = std::move(ruled.report),
                     .cost = std::move(costs),
                     .findings = std::move(ruled.findings),
                     .damaged = std::move(ruled.damaged)};
}

}  // namespace steptrace::rpc
