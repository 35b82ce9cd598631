// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analyze/trace/trace.h"

namespace steptrace::analyze {
namespace {

constexpr std::string_view kStepPrefix = "ProfilerStep#";

bool IsDevice(EventKind kind) {
  return kind >= EventKind::kKernel;
}

bool ContainsNoCase(std::string_view text, std::string_view lower) {
  auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return std::search(text.begin(), text.end(), lower.begin(), lower.end(), same) != text.end();
}

int64_t Or(const std::optional<int64_t>& value) {
  return value.value_or(kNone);
}

// Kind and role of each pair of category and name, decided once.
class Classes {
 public:
  explicit Classes(const store::StringTable& strings) : strings_(strings) {}

  std::pair<EventKind, DeviceRole> Of(store::StringId category, store::StringId name) {
    uint64_t key = static_cast<uint64_t>(category) << 32 | static_cast<uint32_t>(name);
    auto [found, added] = classes_.try_emplace(key);
    if (added) {
      EventKind kind = KindOf(strings_.Text(category), strings_.Text(name));
      found->second = {kind, RoleOf(kind, strings_.Text(name))};
    }
    return found->second;
  }

 private:
  const store::StringTable& strings_;
  std::unordered_map<uint64_t, std::pair<EventKind, DeviceRole>> classes_;
};

// Tracks as lanes, numbered in the order in which events use them.
class Lanes {
 public:
  explicit Lanes(std::span<const store::TrackRow> tracks) {
    for (const auto& track : tracks) tracks_.emplace(track.track, &track);
  }

  int32_t Of(int32_t track, bool on_device) {
    auto [found, added] = lanes_.try_emplace(track, static_cast<int32_t>(list.size()));
    if (added) list.push_back(Make(track, on_device));
    return found->second;
  }

  std::vector<Lane> list;
  int32_t node = 0;

 private:
  Lane Make(int32_t track, bool on_device) {
    Lane lane;
    lane.track = track;
    lane.on_device = on_device;
    auto found = tracks_.find(track);
    if (found == tracks_.end()) return lane;
    const store::TrackRow& row = *found->second;
    lane.pid = Or(row.pid);
    lane.tid = Or(row.tid);
    lane.device = row.device.value_or(kNone);
    lane.stream = Or(row.stream);
    lane.name = row.name;
    node = row.node;
    return lane;
  }

  std::unordered_map<int32_t, const store::TrackRow*> tracks_;
  std::unordered_map<int32_t, int32_t> lanes_;
};

TraceEvent EventOf(const store::SliceRow& row, EventKind kind, DeviceRole role, int32_t lane) {
  TraceEvent event;
  event.ts_ns = row.ts_ns;
  event.dur_ns = std::max<int64_t>(0, row.dur_ns);
  event.correlation = Or(row.correlation);
  event.external_id = Or(row.external_id);
  event.sequence = Or(row.sequence);
  event.group = Or(row.group);
  event.bytes = Or(row.bytes);
  event.flow_out = Or(row.flow_out);
  event.flow_in = Or(row.flow_in);
  event.name = row.name;
  event.details = row.details;
  event.lane = lane;
  event.kind = kind;
  event.role = role;
  return event;
}

void LinkParents(std::vector<TraceEvent>& host) {
  std::vector<int32_t> around;
  for (size_t i = 0; i < host.size(); ++i) {
    TraceEvent& event = host[i];
    while (!around.empty()) {
      const TraceEvent& top = host[static_cast<size_t>(around.back())];
      if (top.lane == event.lane && top.end_ns() > event.ts_ns && top.end_ns() >= event.end_ns()) {
        break;
      }
      if (top.lane == event.lane && top.end_ns() == event.ts_ns && event.dur_ns == 0) break;
      // One that ends later than the top but begins in it belongs to what encloses both.
      around.pop_back();
    }
    if (!around.empty()) event.parent = around.back();
    around.push_back(static_cast<int32_t>(i));
  }
}

std::vector<TraceStep> StepsOf(const std::vector<TraceEvent>& host,
                               const store::StringTable& strings) {
  std::vector<TraceStep> steps;
  for (const TraceEvent& event : host) {
    if (event.kind != EventKind::kStep) continue;
    std::string_view digits = std::string_view(strings.Text(event.name)).substr(kStepPrefix.size());
    TraceStep step{0, event.ts_ns, event.dur_ns, event.lane};
    std::from_chars(digits.data(), digits.data() + digits.size(), step.number);
    steps.push_back(step);
  }
  std::sort(steps.begin(), steps.end(), [](const TraceStep& a, const TraceStep& b) {
    return std::tie(a.ts_ns, a.number) < std::tie(b.ts_ns, b.number);
  });
  return steps;
}

// Index of the last step that begins at or before the moment and ends after it.
int32_t StepAt(const std::vector<TraceStep>& steps, int64_t ts_ns) {
  auto after = std::upper_bound(steps.begin(), steps.end(), ts_ns,
                                [](int64_t ts, const TraceStep& step) { return ts < step.ts_ns; });
  if (after == steps.begin() || ts_ns >= std::prev(after)->end_ns()) return kNone;
  return static_cast<int32_t>(std::prev(after) - steps.begin());
}

// The operator around a host event: the nearest parent that is one.
int32_t OperatorAround(const std::vector<TraceEvent>& host, int32_t index) {
  while (index != kNone && host[static_cast<size_t>(index)].kind != EventKind::kOperator) {
    index = host[static_cast<size_t>(index)].parent;
  }
  return index;
}

// First host event by time with each id.
using Index = std::unordered_map<int64_t, int32_t>;

void KeepFirst(Index& index, int64_t id, int32_t event, const std::vector<TraceEvent>& host) {
  if (id == kNone) return;
  auto [found, added] = index.try_emplace(id, event);
  if (!added &&
      host[static_cast<size_t>(event)].ts_ns < host[static_cast<size_t>(found->second)].ts_ns) {
    found->second = event;
  }
}

int32_t Find(const Index& index, int64_t id) {
  auto found = id == kNone ? index.end() : index.find(id);
  return found == index.end() ? kNone : found->second;
}

// Whether an operator runs on the event's thread when that begins. Some profiles number runtime
// calls by their correlation where others give the operator's id: such a number may be that of an
// operator far away.
bool RunsAround(const TraceEvent& op, const TraceEvent& event) {
  return op.lane == event.lane && op.ts_ns <= event.ts_ns && event.ts_ns <= op.end_ns();
}

void LinkDevice(RankTrace& trace) {
  Index launches;
  Index operators;
  for (size_t i = 0; i < trace.host.size(); ++i) {
    const TraceEvent& event = trace.host[i];
    auto index = static_cast<int32_t>(i);
    if (event.kind == EventKind::kRuntime)
      KeepFirst(launches, event.correlation, index, trace.host);
    if (event.kind == EventKind::kOperator || event.kind == EventKind::kAnnotation) {
      KeepFirst(operators, event.external_id, index, trace.host);
    }
  }
  // The profiler's own link first; nesting where it gives none.
  for (TraceEvent& event : trace.host) {
    event.step = StepAt(trace.steps, event.ts_ns);
    if (event.kind != EventKind::kRuntime) continue;
    event.op = Find(operators, event.external_id);
    if (event.op == kNone || !RunsAround(trace.host[static_cast<size_t>(event.op)], event)) {
      event.op = OperatorAround(trace.host, event.parent);
    }
  }
  for (TraceEvent& event : trace.device) {
    event.launch = Find(launches, event.correlation);
    if (event.launch != kNone) {
      event.op = trace.host[static_cast<size_t>(event.launch)].op;
      event.step = trace.host[static_cast<size_t>(event.launch)].step;
    } else {
      event.step = StepAt(trace.steps, event.ts_ns);
    }
    if (event.op != kNone) continue;
    const int32_t named = Find(operators, event.external_id);
    if (named != kNone &&
        (event.launch == kNone || RunsAround(trace.host[static_cast<size_t>(named)],
                                             trace.host[static_cast<size_t>(event.launch)]))) {
      event.op = named;
    }
  }
}

}  // namespace

EventKind KindOf(std::string_view category, std::string_view name) {
  if (category == "kernel" || category == "mtia_ccp_events" || category == "collective_comm") {
    return EventKind::kKernel;
  }
  if (category == "cpu_op") return EventKind::kOperator;
  if (category == "user_annotation") {
    return name.starts_with(kStepPrefix) ? EventKind::kStep : EventKind::kAnnotation;
  }
  if (category.ends_with("_runtime") || category.ends_with("_driver")) return EventKind::kRuntime;
  if (category == "python_function") return EventKind::kPython;
  if (category == "gpu_memcpy") return EventKind::kMemcpy;
  if (category == "gpu_memset") return EventKind::kMemset;
  if (category == "cuda_sync") return EventKind::kSync;
  if (category == "gpu_user_annotation") return EventKind::kDeviceAnnotation;
  if (category == "overhead") return EventKind::kOverhead;
  return EventKind::kOtherHost;
}

DeviceRole RoleOf(EventKind kind, std::string_view name) {
  if (kind == EventKind::kMemcpy || kind == EventKind::kMemset) return DeviceRole::kMemory;
  if (kind != EventKind::kKernel) return DeviceRole::kNone;
  for (std::string_view library : {"nccl", "rccl", "hccl", "xccl", "cross_device_reduce"}) {
    if (ContainsNoCase(name, library)) return DeviceRole::kCommunication;
  }
  return DeviceRole::kCompute;
}

RankTrace BuildRankTrace(int32_t rank, std::span<const store::SliceRow> slices,
                         std::span<const store::TrackRow> tracks,
                         std::span<const store::MemoryRow> memory,
                         const store::StringTable& strings) {
  RankTrace trace;
  trace.rank = rank;
  Classes classes(strings);
  Lanes lanes(tracks);
  for (const store::SliceRow& row : slices) {
    if (strings.Text(row.category) == "Trace") continue;
    auto [kind, role] = classes.Of(row.category, row.name);
    int32_t lane = lanes.Of(row.track, IsDevice(kind));
    auto& events = IsDevice(kind) ? trace.device : trace.host;
    events.push_back(EventOf(row, kind, role, lane));
  }
  trace.lanes = std::move(lanes.list);
  trace.node = lanes.node;
  std::stable_sort(
      trace.host.begin(), trace.host.end(), [](const TraceEvent& a, const TraceEvent& b) {
        return std::tuple(a.lane, a.ts_ns, -a.dur_ns) < std::tuple(b.lane, b.ts_ns, -b.dur_ns);
      });
  std::stable_sort(trace.device.begin(), trace.device.end(),
                   [](const TraceEvent& a, const TraceEvent& b) {
                     return std::tie(a.ts_ns, a.lane) < std::tie(b.ts_ns, b.lane);
                   });
  LinkParents(trace.host);
  trace.steps = StepsOf(trace.host, strings);
  LinkDevice(trace);
  trace.memory.assign(memory.begin(), memory.end());
  std::stable_sort(trace.memory.begin(), trace.memory.end(),
                   [](const auto& a, const auto& b) { return a.ts_ns < b.ts_ns; });
  return trace;
}

}  // namespace steptrace::analyze
