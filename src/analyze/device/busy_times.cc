// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "analyze/device/device_work.h"

namespace steptrace::analyze {

std::vector<DeviceWork> SplitByDevice(const RankTrace& rank) {
  std::map<int32_t, DeviceWork> by_device;
  for (const TraceEvent& event : rank.device) {
    if (!IsDeviceWork(event)) continue;
    DeviceWork& work = by_device[rank.lanes[static_cast<size_t>(event.lane)].device];
    work.events.push_back(&event);
  }
  std::vector<DeviceWork> all;
  for (auto& [device, work] : by_device) {
    work.rank = &rank;
    work.device = device;
    all.push_back(std::move(work));
  }
  return all;
}

BusySets MakeBusySets(const std::vector<const TraceEvent*>& events) {
  std::vector<TimeRange> of_compute, of_communication, of_memory;
  for (const TraceEvent* event : events) {
    auto& of_role = event->role == DeviceRole::kCommunication ? of_communication
                    : event->role == DeviceRole::kMemory      ? of_memory
                                                              : of_compute;
    of_role.push_back({event->ts_ns, event->end_ns()});
  }
  Intervals compute = Union(std::move(of_compute));
  Intervals communication = Union(std::move(of_communication));
  Intervals memory = Union(std::move(of_memory));
  Intervals kernels = Union(compute, communication);
  BusySets sets;
  sets.busy = MeasuredIntervals(Union(kernels, memory));
  sets.overlap = MeasuredIntervals(Intersection(compute, communication));
  sets.exposed_communication = MeasuredIntervals(Difference(communication, compute));
  sets.exposed_memory = MeasuredIntervals(Difference(memory, kernels));
  sets.compute = MeasuredIntervals(std::move(compute));
  sets.communication = MeasuredIntervals(std::move(communication));
  sets.memory = MeasuredIntervals(std::move(memory));
  sets.kernels = MeasuredIntervals(std::move(kernels));
  return sets;
}

BusyTimes TimesWithin(const BusySets& sets, const TimeRange& window) {
  BusyTimes times;
  times.span_ns = window.length_ns();
  times.busy_ns = sets.busy.LengthWithin(window);
  times.idle_ns = times.span_ns - times.busy_ns;
  times.compute_ns = sets.compute.LengthWithin(window);
  times.communication_ns = sets.communication.LengthWithin(window);
  times.memory_ns = sets.memory.LengthWithin(window);
  times.overlap_ns = sets.overlap.LengthWithin(window);
  times.exposed_communication_ns = sets.exposed_communication.LengthWithin(window);
  times.exposed_memory_ns = sets.exposed_memory.LengthWithin(window);
  return times;
}

}  // namespace steptrace::analyze
