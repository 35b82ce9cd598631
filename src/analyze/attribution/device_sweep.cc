// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/device_sweep.h"

#include <algorithm>
#include <limits>

#include "analyze/trace/copy_kind.h"

namespace steptrace::analyze {
namespace {

DeviceActivityKind DoingOf(const TraceEvent& event, const store::StringTable& strings) {
  if (event.role == DeviceRole::kCommunication) return DeviceActivityKind::kCommunication;
  if (event.role == DeviceRole::kCompute) return DeviceActivityKind::kCompute;
  const bool to_device = event.kind == EventKind::kMemcpy && CopyKind(event, strings) == "HtoD";
  return to_device ? DeviceActivityKind::kToDevice : DeviceActivityKind::kCopy;
}

}  // namespace

int64_t LaunchedNs(const RankTrace& trace, const DevicePiece& idle) {
  if (idle.ended_by == nullptr || idle.ended_by->launch == kNone) return idle.time.end_ns;
  const TraceEvent& launch = trace.host[static_cast<size_t>(idle.ended_by->launch)];
  return std::clamp(launch.end_ns(), idle.time.begin_ns, idle.time.end_ns);
}

DeviceSweep::DeviceSweep(const RankTrace& trace, const store::StringTable& strings,
                         const TimeRange& window)
    : trace_(&trace), strings_(&strings), at_ns_(window.begin_ns), end_ns_(window.end_ns) {
  runs_until_ns_.fill(std::numeric_limits<int64_t>::min());
}

void DeviceSweep::BeginUpToNow() {
  const auto& device = trace_->device;
  for (; next_ < device.size() && device[next_].ts_ns <= at_ns_; ++next_) {
    if (!IsDeviceWork(device[next_])) continue;
    int64_t& until = runs_until_ns_[static_cast<size_t>(DoingOf(device[next_], *strings_))];
    until = std::max(until, device[next_].end_ns());
  }
}

DevicePiece DeviceSweep::Idle() const {
  const TraceEvent* by = nullptr;
  for (size_t i = next_; i < trace_->device.size(); ++i) {
    const TraceEvent& event = trace_->device[i];
    if (event.ts_ns > end_ns_) break;
    if (!IsDeviceWork(event)) continue;
    if (by == nullptr || by->ts_ns != event.ts_ns) by = &event;
    // What takes no time ends no pause.
    if (event.end_ns() > event.ts_ns) return {{at_ns_, event.ts_ns}, DeviceActivityKind::kIdle, by};
  }
  const bool begins_there = by != nullptr && by->ts_ns == end_ns_;
  return {{at_ns_, end_ns_}, DeviceActivityKind::kIdle, begins_there ? by : nullptr};
}

DevicePiece DeviceSweep::Next() {
  BeginUpToNow();
  const auto running = std::find_if(runs_until_ns_.begin(), runs_until_ns_.end(),
                                    [this](int64_t until) { return until > at_ns_; });
  DevicePiece piece;
  if (running == runs_until_ns_.end()) {
    piece = Idle();
  } else {
    // Up to the next event: that may come before it.
    const int64_t next_ns = next_ < trace_->device.size() ? trace_->device[next_].ts_ns : end_ns_;
    piece.time = {at_ns_, std::min({*running, next_ns, end_ns_})};
    piece.doing = static_cast<DeviceActivityKind>(running - runs_until_ns_.begin());
  }
  at_ns_ = piece.time.end_ns;
  return piece;
}

}  // namespace steptrace::analyze
