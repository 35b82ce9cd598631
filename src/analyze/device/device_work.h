// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/device/device_steps.h"
#include "analyze/device/device_times.h"
#include "analyze/trace/intervals.h"
#include "analyze/trace/kernel_facts.h"
#include "analyze/trace/trace.h"

// Parts of BuildDevices: what one device of one rank did, and the figures made from it.
namespace steptrace::analyze {

struct DeviceWork {
  const RankTrace* rank = nullptr;
  int32_t device = 0;
  std::vector<const TraceEvent*> events;  // by begin
};

// One for each device that did something, by number.
std::vector<DeviceWork> SplitByDevice(const RankTrace& rank);

// The device's work as sets of moments.
struct BusySets {
  MeasuredIntervals compute;
  MeasuredIntervals communication;
  MeasuredIntervals memory;
  MeasuredIntervals kernels;  // compute or communication
  MeasuredIntervals busy;
  MeasuredIntervals overlap;
  MeasuredIntervals exposed_communication;
  MeasuredIntervals exposed_memory;
};
BusySets MakeBusySets(const std::vector<const TraceEvent*>& events);
BusyTimes TimesWithin(const BusySets& sets, const TimeRange& window);

// Pauses of the device, or of one stream: between the first event and the last.
IdleCauses FindIdleCauses(const RankTrace& rank, const std::vector<const TraceEvent*>& events);
std::vector<StreamTimes> MakeStreams(const DeviceWork& work);
std::vector<CopyTimes> MakeCopies(const DeviceWork& work, const store::StringTable& strings);
std::vector<LaunchTimes> MakeLaunches(const DeviceWork& work, const store::StringTable& strings);
bool IsGraphLaunch(std::string_view call);

// Ratios over the window of the steps; empty where no kernel tells.
std::optional<double> SmEfficiency(const DeviceWork& work, const TimeRange& window, int64_t sms,
                                   KernelFactsReader& facts);
std::optional<double> AchievedOccupancy(const DeviceWork& work, const TimeRange& window,
                                        KernelFactsReader& facts);

std::vector<RoleRow> MakeRoles(const RankTrace& rank, const std::vector<DeviceStep>& steps,
                               const store::StringTable& strings);

}  // namespace steptrace::analyze
