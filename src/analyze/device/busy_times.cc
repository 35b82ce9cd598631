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
  std::vector<Stretch> compute, communication, memory;
  for (const TraceEvent* event : events) {
    auto& of_role = event->role == DeviceRole::kCommunication ? communication
                    : event->role == DeviceRole::kMemory      ? memory
                                                              : compute;
    of_role.push_back({event->ts_ns, event->end_ns()});
  }
  BusySets sets;
  sets.compute = Union(std::move(compute));
  sets.communication = Union(std::move(communication));
  sets.memory = Union(std::move(memory));
  const Intervals kernels = Union(sets.compute, sets.communication);
  sets.busy = Union(kernels, sets.memory);
  sets.overlap = Intersection(sets.compute, sets.communication);
  sets.exposed_communication = Difference(sets.communication, sets.compute);
  sets.exposed_memory = Difference(sets.memory, kernels);
  return sets;
}

BusyTimes TimesWithin(const BusySets& sets, const Stretch& window) {
  BusyTimes times;
  times.span_ns = window.length_ns();
  times.busy_ns = LengthWithin(sets.busy, window);
  times.idle_ns = times.span_ns - times.busy_ns;
  times.compute_ns = LengthWithin(sets.compute, window);
  times.communication_ns = LengthWithin(sets.communication, window);
  times.memory_ns = LengthWithin(sets.memory, window);
  times.overlap_ns = LengthWithin(sets.overlap, window);
  times.exposed_communication_ns = LengthWithin(sets.exposed_communication, window);
  times.exposed_memory_ns = LengthWithin(sets.exposed_memory, window);
  return times;
}

}  // namespace steptrace::analyze
