// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "analyze/device/device_work.h"

namespace steptrace::analyze {
namespace {

const TraceEvent* LaunchOf(const RankTrace& rank, const TraceEvent& event) {
  return event.launch == kNone ? nullptr : &rank.host[static_cast<size_t>(event.launch)];
}

// A launch under way on one stream. A call that launches many (a graph) waits once.
struct Queued {
  int64_t called_ns = 0;
  int64_t began_ns = 0;
};

std::vector<Queued> QueuedOn(const RankTrace& rank, const std::vector<const TraceEvent*>& events) {
  std::vector<Queued> queued;
  std::vector<bool> seen(rank.host.size());
  for (const TraceEvent* event : events) {
    const TraceEvent* launch = LaunchOf(rank, *event);
    if (launch == nullptr || seen[static_cast<size_t>(event->launch)]) continue;
    seen[static_cast<size_t>(event->launch)] = true;
    queued.push_back({launch->ts_ns, event->ts_ns});
  }
  return queued;
}

void MeasureQueue(const RankTrace& rank, const std::vector<const TraceEvent*>& events,
                  StreamTimes& stream) {
  const std::vector<Queued> queued = QueuedOn(rank, events);
  if (queued.empty()) return;
  std::vector<std::pair<int64_t, int>> changes;  // at equal times one begins before another waits
  int64_t first = queued.front().called_ns;
  int64_t last = queued.front().began_ns;
  for (const Queued& one : queued) {
    first = std::min(first, one.called_ns);
    last = std::max(last, one.began_ns);
    // Clocks of host and device may disagree by a little: no launch waits less than nothing.
    if (one.began_ns <= one.called_ns) continue;
    stream.queue_sum_ns += one.began_ns - one.called_ns;
    changes.emplace_back(one.called_ns, 1);
    changes.emplace_back(one.began_ns, -1);
  }
  std::sort(changes.begin(), changes.end());
  int64_t length = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    length += changes[i].second;
    stream.queue_max = std::max(stream.queue_max, length);
    if (length >= kFullQueue && i + 1 < changes.size()) {
      stream.queue_full_ns += changes[i + 1].first - changes[i].first;
    }
  }
  stream.queue_span_ns = std::max<int64_t>(last - first, 0);
  if (stream.queue_span_ns > 0) {
    stream.queue_mean =
        static_cast<double>(stream.queue_sum_ns) / static_cast<double>(stream.queue_span_ns);
  }
}

StreamTimes MakeStream(const RankTrace& rank, int64_t number,
                       const std::vector<const TraceEvent*>& events) {
  StreamTimes stream;
  stream.stream = number;
  stream.events = static_cast<int64_t>(events.size());
  int64_t end = events.front()->ts_ns;
  for (const TraceEvent* event : events) {
    if (event->ts_ns < end) {
      ++stream.overlapping;
      stream.overlapping_ns += std::min(event->end_ns(), end) - event->ts_ns;
    }
    stream.busy_ns += std::max<int64_t>(event->end_ns() - std::max(end, event->ts_ns), 0);
    end = std::max(end, event->end_ns());
  }
  stream.idle = FindIdleCauses(rank, events);
  MeasureQueue(rank, events, stream);
  return stream;
}

}  // namespace

IdleCauses FindIdleCauses(const RankTrace& rank, const std::vector<const TraceEvent*>& events) {
  IdleCauses idle;
  if (events.empty()) return idle;
  int64_t end = events.front()->end_ns();
  for (const TraceEvent* event : events) {
    if (event->ts_ns > end) {
      const int64_t pause = event->ts_ns - end;
      const TraceEvent* launch = LaunchOf(rank, *event);
      int64_t& cause = launch != nullptr && launch->ts_ns > end ? idle.host_ns
                       : pause < kKernelWaitNs                  ? idle.kernel_wait_ns
                                                                : idle.other_ns;
      cause += pause;
    }
    end = std::max(end, event->end_ns());
  }
  return idle;
}

std::vector<StreamTimes> MakeStreams(const DeviceWork& work) {
  std::map<int64_t, std::vector<const TraceEvent*>> by_stream;
  for (const TraceEvent* event : work.events) {
    by_stream[work.rank->lanes[static_cast<size_t>(event->lane)].stream].push_back(event);
  }
  std::vector<StreamTimes> streams;
  for (const auto& [number, events] : by_stream) {
    streams.push_back(MakeStream(*work.rank, number, events));
  }
  return streams;
}

}  // namespace steptrace::analyze
