// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "analyze/device/device_work.h"

namespace steptrace::analyze {
namespace {

const TraceEvent* LaunchOf(const RankTrace& rank, const TraceEvent& event) {
  return event.launch == kNone ? nullptr : &rank.host[static_cast<size_t>(event.launch)];
}

// Launches under way on one stream. A call that launches many (a graph) waits once.
struct Queue {
  int64_t first_ns = INT64_MAX;
  int64_t last_ns = INT64_MIN;
  int64_t sum_ns = 0;
  // Of those that waited, each by time.
  std::vector<int64_t> called_ns;
  std::vector<int64_t> began_ns;
};

Queue QueueOn(const RankTrace& rank, const std::vector<const TraceEvent*>& events) {
  Queue queue;
  std::vector<bool> seen(rank.host.size());
  queue.called_ns.reserve(events.size());
  queue.began_ns.reserve(events.size());
  for (const TraceEvent* event : events) {
    const TraceEvent* launch = LaunchOf(rank, *event);
    if (launch == nullptr || seen[static_cast<size_t>(event->launch)]) continue;
    seen[static_cast<size_t>(event->launch)] = true;
    queue.first_ns = std::min(queue.first_ns, launch->ts_ns);
    queue.last_ns = std::max(queue.last_ns, event->ts_ns);
    // Clocks of host and device may disagree by a little: no launch waits less than nothing.
    if (event->ts_ns <= launch->ts_ns) continue;
    queue.sum_ns += event->ts_ns - launch->ts_ns;
    queue.called_ns.push_back(launch->ts_ns);
    queue.began_ns.push_back(event->ts_ns);
  }
  if (!std::is_sorted(queue.called_ns.begin(), queue.called_ns.end())) {
    std::sort(queue.called_ns.begin(), queue.called_ns.end());
  }
  return queue;
}

void MeasureQueue(const RankTrace& rank, const std::vector<const TraceEvent*>& events,
                  StreamTimes& stream) {
  const Queue queue = QueueOn(rank, events);
  if (queue.first_ns == INT64_MAX) return;  // none was launched
  stream.queue_sum_ns = queue.sum_ns;
  int64_t length = 0;
  int64_t at_ns = 0;
  const auto go_on = [&](int64_t ns, int64_t change) {
    if (length >= kFullQueue) stream.queue_full_ns += ns - at_ns;
    length += change;
    stream.queue_max = std::max(stream.queue_max, length);
    at_ns = ns;
  };
  auto called = queue.called_ns.begin();
  for (const int64_t began_ns : queue.began_ns) {
    // At equal times one begins before another waits.
    for (; called != queue.called_ns.end() && *called < began_ns; ++called) go_on(*called, 1);
    go_on(began_ns, -1);
  }
  stream.queue_span_ns = std::max<int64_t>(queue.last_ns - queue.first_ns, 0);
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
