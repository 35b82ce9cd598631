// SPDX-License-Identifier: Apache-2.0
#include "analyze/distributed/live_trace.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "analyze/trace/step_at.h"
#include "store/event_categories.h"

namespace steptrace::analyze {
namespace {

// Bytes or ns: a damaged row may say anything, and a million of them are summed.
constexpr int64_t kMostOfACall = int64_t{1} << 42;

TraceEvent MakeEvent(const store::SliceRow& row, EventKind kind, DeviceRole role) {
  TraceEvent event;
  event.ts_ns = row.ts_ns;
  event.dur_ns = std::max<int64_t>(0, row.dur_ns);
  event.name = row.name;
  event.details = row.details;
  event.kind = kind;
  event.role = role;
  return event;
}

DeviceNumbers NumbersOf(const store::SliceRow& row) {
  return {row.sequence.value_or(kNone), row.bytes.value_or(kNone)};
}

}  // namespace

LiveTraceBuilder::LiveTraceBuilder(int32_t rank, std::span<const store::TrackRow> tracks,
                                   const store::StringTable& strings, size_t most)
    : rank_(rank), tracks_(tracks), strings_(strings), most_(most) {
  trace_.rank = rank;
}

LiveTraceBuilder::Kind LiveTraceBuilder::KindOfCategory(store::StringId category) {
  auto [found, added] = kinds_.try_emplace(static_cast<int32_t>(category), Kind::kNothing);
  if (added) {
    const std::string& text = strings_.Text(category);
    if (text == "communication") found->second = Kind::kCollective;
    if (text == "nccl") found->second = Kind::kNccl;
    if (store::IsStreamWork(text)) found->second = Kind::kDevice;
    if (text == "phase" || text == "user") found->second = Kind::kHost;
  }
  return found->second;
}

LiveTraceBuilder::CallKind LiveTraceBuilder::CallKindOf(store::StringId details) {
  auto [found, added] = call_kinds_.try_emplace(static_cast<int32_t>(details), CallKind::kNothing);
  if (added) {
    const auto json = nlohmann::json::parse(strings_.Text(details), nullptr, false);
    const bool reported = json.is_object() && json.contains("Process Group Name");
    const auto asynchronous = reported ? json.find("Asynchronous") : json.end();
    if (reported) found->second = CallKind::kCall;
    if (reported && asynchronous != json.end() && *asynchronous == true) {
      found->second = CallKind::kAsynchronousCall;
    }
  }
  return found->second;
}

void LiveTraceBuilder::Add(std::span<const store::SliceRow> slices) {
  for (const store::SliceRow& row : slices) {
    if (row.ts_ns < from_ns_) continue;
    switch (KindOfCategory(row.category)) {
      case Kind::kNothing:
        break;
      case Kind::kCollective:
        // Also those that do not tell: what lies in them is theirs.
        calls_.push_back(
            {row.track,
             {MakeEvent(row, EventKind::kKernel, DeviceRole::kCommunication), NumbersOf(row)}});
        break;
      case Kind::kNccl:
        has_nccl_ = true;
        if (CallKindOf(row.details) == CallKind::kCall) {
          Keep(row, true, EventKind::kKernel, DeviceRole::kCommunication);
        }
        break;
      case Kind::kDevice: {
        const EventKind kind = KindOf(strings_.Text(row.category), strings_.Text(row.name));
        const DeviceRole role = RoleOf(kind, strings_.Text(row.name));
        if (role != DeviceRole::kCommunication) Keep(row, true, kind, role);
        break;
      }
      case Kind::kHost:
        Keep(row, false, EventKind::kOtherHost, DeviceRole::kNone);
        break;
    }
    if (calls_.size() + trace_.host.size() + device_.size() > most_) LeaveOutHalf();
  }
}

void LiveTraceBuilder::LeaveOutBefore(int64_t ts_ns) {
  from_ns_ = std::max(from_ns_, ts_ns);
  const auto early = [this](const TraceEvent& event) { return event.ts_ns < from_ns_; };
  std::erase_if(calls_, [&](const Call& call) { return early(call.work.event); });
  std::erase_if(trace_.host, early);
  std::erase_if(device_, [&](const Work& work) { return early(work.event); });
}

void LiveTraceBuilder::LeaveOutHalf() {
  std::vector<int64_t> begins;
  for (const Call& call : calls_) begins.push_back(call.work.event.ts_ns);
  for (const TraceEvent& event : trace_.host) begins.push_back(event.ts_ns);
  for (const Work& work : device_) begins.push_back(work.event.ts_ns);
  const auto middle = begins.begin() + static_cast<ptrdiff_t>(begins.size() / 2);
  std::nth_element(begins.begin(), middle, begins.end());
  const int64_t middle_ns = *middle;
  LeaveOutBefore(middle_ns);
  const size_t held = calls_.size() + trace_.host.size() + device_.size();
  if (held <= most_) return;
  // All at one moment, as a run from elsewhere may say: none of them is newer than another.
  if (middle_ns < INT64_MAX) return LeaveOutBefore(middle_ns + 1);
  calls_.clear();
  trace_.host.clear();
  device_.clear();
}

int32_t LiveTraceBuilder::LaneOf(int32_t track) {
  auto [found, added] = lanes_.try_emplace(track, static_cast<int32_t>(trace_.lanes.size()));
  if (added) {
    TraceLane& lane = trace_.lanes.emplace_back();
    lane.track = track;
  }
  return found->second;
}

void LiveTraceBuilder::Keep(const store::SliceRow& row, bool on_device, EventKind kind,
                            DeviceRole role) {
  TraceEvent event = MakeEvent(row, kind, role);
  event.lane = LaneOf(row.track);
  if (on_device) {
    device_.push_back({event, NumbersOf(row)});
  } else {
    trace_.host.push_back(event);
  }
}

std::vector<LiveTraceBuilder::Call> LiveTraceBuilder::Outermost() {
  std::stable_sort(calls_.begin(), calls_.end(), [](const Call& a, const Call& b) {
    return std::tuple(a.track, a.work.event.ts_ns, -a.work.event.dur_ns) <
           std::tuple(b.track, b.work.event.ts_ns, -b.work.event.dur_ns);
  });
  std::vector<Call> outermost;
  int32_t track = kNone;
  int64_t covered_ns = INT64_MIN;
  for (const Call& call : calls_) {
    if (call.track != track) covered_ns = INT64_MIN;
    track = call.track;
    if (call.work.event.end_ns() <= covered_ns) continue;
    covered_ns = call.work.event.end_ns();
    if (CallKindOf(call.work.event.details) != CallKind::kNothing) outermost.push_back(call);
  }
  return outermost;
}

void LiveTraceBuilder::TakeCalls() {
  trace_.calls.steps = static_cast<int64_t>(trace_.steps.size());
  for (const Call& call : Outermost()) {
    const TraceEvent& event = call.work.event;
    const bool asynchronous = CallKindOf(event.details) == CallKind::kAsynchronousCall;
    if (StepAt(trace_.steps, event.ts_ns) != kNone) {
      const int64_t bytes = std::clamp<int64_t>(call.work.numbers.bytes, 0, kMostOfACall);
      trace_.calls.by_name[strings_.Text(event.name)].Add(
          {1, asynchronous ? 1 : 0, bytes, std::min(event.dur_ns, kMostOfACall)});
    }
    if (asynchronous) continue;
    device_.push_back(call.work);
    device_.back().event.lane = LaneOf(call.track);
  }
}

void LiveTraceBuilder::TakeDevice() {
  std::stable_sort(device_.begin(), device_.end(), [](const Work& a, const Work& b) {
    return std::tie(a.event.ts_ns, a.event.lane) < std::tie(b.event.ts_ns, b.event.lane);
  });
  for (const Work& work : device_) {
    TraceEvent& event = trace_.device.emplace_back(work.event);
    event.numbers = static_cast<int32_t>(trace_.numbers.size());
    trace_.numbers.push_back(work.numbers);
  }
  device_ = std::vector<Work>();
}

RankTrace LiveTraceBuilder::Build(const store::PackedSteps& steps) {
  // Where NCCL itself tells, the script's calls are the way to its work and not the work.
  if (has_nccl_) calls_.clear();
  for (const store::StepRow& step : steps) {
    if (step.rank != rank_) continue;
    trace_.steps.push_back({step.step, step.ts_ns, step.dur_ns, 0});
  }
  std::stable_sort(trace_.steps.begin(), trace_.steps.end(),
                   [](const auto& a, const auto& b) { return a.ts_ns < b.ts_ns; });
  TakeCalls();
  for (const store::TrackRow& track : tracks_) {
    const auto found = lanes_.find(track.track);
    if (found == lanes_.end()) continue;
    TraceLane& lane = trace_.lanes[static_cast<size_t>(found->second)];
    lane.pid = track.pid.value_or(kNone);
    lane.tid = track.tid.value_or(kNone);
    lane.device = track.device.value_or(kNone);
    lane.stream = track.stream.value_or(kNone);
    lane.name = track.name;
    trace_.node = track.node;
  }
  TakeDevice();
  std::stable_sort(trace_.host.begin(), trace_.host.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.lane, a.ts_ns, -a.dur_ns) < std::tuple(b.lane, b.ts_ns, -b.dur_ns);
  });
  for (auto* events : {&trace_.host, &trace_.device}) {
    for (TraceEvent& event : *events) event.step = StepAt(trace_.steps, event.ts_ns);
  }
  return std::move(trace_);
}

}  // namespace steptrace::analyze
