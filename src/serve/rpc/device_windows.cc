// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/device_windows.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analyze/device/device_phase_sums.h"
#include "analyze/trace/lost_time_ranges.h"
#include "analyze/trace/trace_builder.h"
#include "base/time.h"
#include "serve/rpc/trace_columns.h"
#include "store/event_categories.h"
#include "store/metadata_json.h"

namespace steptrace::rpc {
namespace {

using Key = store::MetadataKey;

// A device is at most so far behind the host: a queue of a thousand launches of a millisecond.
constexpr int64_t kBehindNs = kNsPerSecond;

struct KernelWindow {
  int64_t from_ns = 0;
  int64_t to_ns = 0;
};
using WindowsOfRanks = std::map<int32_t, std::vector<KernelWindow>>;

// A range of the hooks, and what PyTorch's profiler calls its like (analyze/trace/host_activity).
struct Renamed {
  std::string_view phase;
  std::string_view name;
};
constexpr Renamed kRenamed[] = {
    {"data", "enumerate(DataLoader)#data"},
    {"loader_iter", "enumerate(DataLoader)#iter"},
    {"optimizer", "Optimizer.step#optimizer"},
    {"checkpoint", "torch.save"},
    {"evaluation", "loop: evaluate"},
    {"logging", "logging/__init__.py: log"},
    {"gc", "gc.collect"},
    {"compile", "_compile.compile_inner"},
};

void AddWindow(const nlohmann::json& from, const nlohmann::json& to, const TimeBounds& bounds,
               std::vector<KernelWindow>& windows) {
  if (!from.is_number_integer() || !to.is_number_integer()) return;
  const KernelWindow window{std::max(from.get<int64_t>(), bounds.from_ns.value_or(INT64_MIN)),
                            std::min(to.get<int64_t>(), bounds.to_ns.value_or(INT64_MAX))};
  if (window.from_ns < window.to_ns) windows.push_back(window);
}

// By begin, each moment in one of them.
void Join(std::vector<KernelWindow>& windows) {
  std::sort(windows.begin(), windows.end(),
            [](const auto& a, const auto& b) { return a.from_ns < b.from_ns; });
  size_t joined = 0;
  for (const KernelWindow& window : windows) {
    if (joined > 0 && window.from_ns < windows[joined - 1].to_ns) {
      windows[joined - 1].to_ns = std::max(windows[joined - 1].to_ns, window.to_ns);
    } else {
      windows[joined++] = window;
    }
  }
  windows.resize(joined);
}

// What facts of kind `window` say (agent/capture/run_captures.cc) of those that captured
// kernels: a profile by PyTorch's profiler, whatever it holds beside, has them too.
WindowsOfRanks KernelWindows(const std::vector<store::RunMetadataRow>& facts,
                             const store::StringTable& strings, const TimeBounds& bounds) {
  WindowsOfRanks windows;
  for (const store::RunMetadataRow& fact : facts) {
    if (strings.Text(fact.kind) != store::MetadataKind::kWindow) continue;
    const nlohmann::json reported = store::ParseMetadata(fact.json);
    const nlohmann::json* from = store::Find(reported, Key::kFromNs);
    const nlohmann::json* to = store::Find(reported, Key::kToNs);
    const std::string kinds = store::TextOf(reported, Key::kKinds);
    if (from == nullptr || to == nullptr || kinds.empty() || kinds == "operators") continue;
    const nlohmann::json* time_ranges = store::Find(reported, Key::kStretches);
    if (time_ranges == nullptr || !time_ranges->is_array()) {
      AddWindow(*from, *to, bounds, windows[fact.rank]);
      continue;
    }
    for (const nlohmann::json& one : *time_ranges) {
      if (one.is_array() && one.size() == 2) AddWindow(one[0], one[1], bounds, windows[fact.rank]);
    }
  }
  for (auto& [rank, of_rank] : windows) Join(of_rank);
  return windows;
}

// The time ranges of windows in which no slice of the rank lacks. What begins behind a lost time
// range is as after a window's begin: work that was launched before is not known.
WindowsOfRanks WithoutLost(const WindowsOfRanks& windows,
                           std::span<const analyze::LostTimeRange> lost) {
  WindowsOfRanks sound = windows;
  for (const analyze::LostTimeRange& time_range : lost) {
    const auto found = sound.find(time_range.rank);
    if (found == sound.end()) continue;
    std::vector<KernelWindow> kept;
    for (const KernelWindow& window : found->second) {
      if (!time_range.Touches(window.from_ns, window.to_ns)) {
        kept.push_back(window);
        continue;
      }
      if (window.from_ns < time_range.from_ns) kept.push_back({window.from_ns, time_range.from_ns});
      const bool rest = time_range.to_ns < INT64_MAX && time_range.to_ns + 1 < window.to_ns;
      if (rest) kept.push_back({time_range.to_ns + 1, window.to_ns});
    }
    found->second = std::move(kept);
  }
  return sound;
}

// Takes the rows of one rank's windows, in the words of a profile.
class WindowRows {
 public:
  WindowRows(store::StringTable& strings, analyze::RankTraceBuilder& builder)
      : strings_(strings), builder_(builder) {
    for (const Renamed& one : kRenamed) {
      renamed_[strings_.Intern(std::string(one.phase))] = strings_.Intern(std::string(one.name));
    }
  }

  void Add(std::span<const store::SliceRow> rows, const KernelWindow& window) {
    std::vector<store::SliceRow> taken;
    for (const store::SliceRow& row : rows) {
      const std::string& category = strings_.Text(row.category);
      const bool device = store::IsOnStream(category);
      // Threads and processes beside the one that trains, and NCCL's proxy, say nothing of it.
      if (category == "worker" || category == "nccl_proxy") continue;
      if (category == analyze::kDevicePhaseCategory) continue;  // kernels tell more
      if (!device && row.ts_ns >= window.to_ns) continue;
      has_device_ |= device;
      taken.push_back(row);
      if (category == "phase") Rename(taken.back());
      if (category == "communication") {
        const std::string text = "gloo:" + strings_.Text(row.name);  // the host waits in it
        taken.back().name = strings_.Intern(text);
      }
    }
    builder_.Add(taken);
  }
  bool has_device() const { return has_device_; }
  // The thread whose optimizer steps; nothing: none did.
  std::optional<int32_t> training_track() const { return training_track_; }

 private:
  void Rename(store::SliceRow& row) {
    if (strings_.Text(row.name) == "optimizer") training_track_ = row.track;
    const auto found = renamed_.find(row.name);
    if (found != renamed_.end()) row.name = found->second;
  }

  store::StringTable& strings_;
  analyze::RankTraceBuilder& builder_;
  std::map<store::StringId, store::StringId> renamed_;
  bool has_device_ = false;
  std::optional<int32_t> training_track_;
};

// The steps that lie in a window as a whole, but for its first: what the device does in that was
// launched before the window in part, and so was not reported.
std::vector<analyze::TraceStep> StepsIn(const store::PackedSteps& steps, int32_t rank,
                                        const std::vector<KernelWindow>& windows, int32_t lane) {
  std::vector<analyze::TraceStep> found;
  const auto earlier = [](const auto& a, const auto& b) { return a.ts_ns < b.ts_ns; };
  for (const KernelWindow& window : windows) {
    std::vector<analyze::TraceStep> within;
    for (const store::StepRow& step : steps) {
      if (step.rank != rank || step.dur_ns <= 0) continue;
      if (!LiesIn({window.from_ns, window.to_ns}, step)) continue;
      within.push_back({step.step, step.ts_ns, step.dur_ns, lane});
    }
    std::sort(within.begin(), within.end(), earlier);
    if (!within.empty()) found.insert(found.end(), std::next(within.begin()), within.end());
  }
  std::sort(found.begin(), found.end(), earlier);
  return found;
}

int32_t LaneOf(const analyze::RankTrace& trace, int32_t track) {
  for (size_t lane = 0; lane < trace.lanes.size(); ++lane) {
    if (trace.lanes[lane].track == track) return static_cast<int32_t>(lane);
  }
  return 0;
}

Result<analyze::Trace> Load(store::RunReader& run, const std::vector<store::TrackRow>& tracks,
                            const std::vector<store::RunMetadataRow>& facts,
                            const store::PackedSteps& steps, const WindowsOfRanks& windows) {
  analyze::Trace trace;
  trace.strings = &run.strings();
  trace.facts = facts;
  for (const auto& [rank, of_rank] : ProfileTracks(tracks, run.strings())) {
    const auto found = windows.find(rank);
    if (found == windows.end()) continue;
    analyze::RankTraceBuilder builder(rank, of_rank, run.strings());
    WindowRows rows(run.strings(), builder);
    std::vector<store::MemoryRow> memory;
    for (size_t i = 0; i < found->second.size(); ++i) {
      const KernelWindow& window = found->second[i];
      const int64_t next_ns =
          i + 1 < found->second.size() ? found->second[i + 1].from_ns : INT64_MAX;
      int64_t behind_ns = 0;
      if (__builtin_add_overflow(window.to_ns, kBehindNs, &behind_ns)) behind_ns = INT64_MAX;
      const store::ReadOptions slices_of = {.columns = TraceColumns(),
                                            .rank = rank,
                                            .from_ns = window.from_ns,
                                            .to_ns = std::min(next_ns, behind_ns)};
      STEPTRACE_RETURN_IF_ERROR(run.ReadBatches<store::SliceRow>(
          slices_of, [&](std::span<const store::SliceRow> slices) -> Status {
            rows.Add(slices, window);
            return {};
          }));
      STEPTRACE_ASSIGN_OR_RETURN(
          const auto allocations,
          run.Read<store::MemoryRow>(
              {.columns = {}, .rank = rank, .from_ns = window.from_ns, .to_ns = window.to_ns}));
      memory.insert(memory.end(), allocations.begin(), allocations.end());
    }
    if (!rows.has_device()) continue;
    analyze::RankTrace& built =
        trace.ranks.emplace_back(builder.Build(std::move(memory), analyze::LaneOrder::kByTime));
    const auto behind = [&](const analyze::TraceEvent& event) {
      return event.launch == analyze::kNone &&
             std::none_of(found->second.begin(), found->second.end(), [&](const auto& window) {
               return event.ts_ns >= window.from_ns && event.ts_ns < window.to_ns;
             });
    };
    std::erase_if(built.device, behind);
    const int32_t lane = rows.training_track() ? LaneOf(built, *rows.training_track()) : 0;
    SetSteps(StepsIn(steps, rank, found->second, lane), built);
  }
  return trace;
}

// The newest of the first rank's that holds enough steps to tell of, or its newest; of the others
// the one beside it, for a path leads from rank to rank.
WindowsOfRanks Newest(const WindowsOfRanks& windows, const store::PackedSteps& steps) {
  constexpr size_t kEnoughSteps = 3;
  WindowsOfRanks newest;
  std::optional<KernelWindow> first;
  for (const auto& of_a_rank : windows) {
    const int32_t rank = of_a_rank.first;
    const std::vector<KernelWindow>& all = of_a_rank.second;
    if (all.empty()) continue;
    const auto fits = [&](const KernelWindow& window) {
      return first ? window.from_ns < first->to_ns && first->from_ns < window.to_ns
                   : StepsIn(steps, rank, {window}, 0).size() >= kEnoughSteps;
    };
    const auto found = std::find_if(all.rbegin(), all.rend(), fits);
    const KernelWindow window = found == all.rend() ? all.back() : *found;
    if (!first) first = window;
    newest[rank] = {window};
  }
  return newest;
}

int64_t CountSteps(const store::PackedSteps& steps, const WindowsOfRanks& windows) {
  size_t count = 0;
  for (const auto& [rank, of_rank] : windows) count += StepsIn(steps, rank, of_rank, 0).size();
  return static_cast<int64_t>(count);
}

}  // namespace

Result<analyze::Trace> LoadDeviceWindows(store::RunReader& run,
                                         const std::vector<store::TrackRow>& tracks,
                                         const std::vector<store::RunMetadataRow>& facts,
                                         std::span<const store::DataLossRow> losses,
                                         const store::PackedSteps& steps,
                                         const TimeBounds& bounds) {
  const WindowsOfRanks asked = KernelWindows(facts, run.strings(), bounds);
  const WindowsOfRanks windows = WithoutLost(asked, analyze::LostTimeRanges(losses, run.strings()));
  STEPTRACE_ASSIGN_OR_RETURN(analyze::Trace trace, Load(run, tracks, facts, steps, windows));
  trace.steps_left_out = CountSteps(steps, asked) - CountSteps(steps, windows);
  const bool several = std::any_of(windows.begin(), windows.end(),
                                   [](const auto& of_rank) { return of_rank.second.size() > 1; });
  if (several) {
    STEPTRACE_ASSIGN_OR_RETURN(analyze::Trace newest,
                               Load(run, tracks, facts, steps, Newest(windows, steps)));
    if (!newest.ranks.empty()) {
      trace.newest = std::make_shared<const analyze::Trace>(std::move(newest));
    }
  }
  return trace;
}

}  // namespace steptrace::rpc
