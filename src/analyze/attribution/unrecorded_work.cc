// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/unrecorded_work.h"

#include <algorithm>

#include "analyze/attribution/device_sweep.h"
#include "analyze/device/device_section.h"

namespace steptrace::analyze {

TimeRange UnrecordedWork(const RankTrace& trace, const store::StringTable& strings) {
  const auto& device = trace.device;
  const auto first = std::find_if(device.begin(), device.end(), IsDeviceWork);
  if (first == device.end() || first->launch == kNone) return {};
  const TimeRange waited = {trace.host[static_cast<size_t>(first->launch)].end_ns(), first->ts_ns};
  if (waited.length_ns() < kKernelWaitNs) return {};
  int64_t end_ns = first->end_ns();
  for (const TraceEvent& event : device) end_ns = std::max(end_ns, event.end_ns());
  DeviceSweep sweep(trace, strings, {first->ts_ns, end_ns});
  while (!sweep.done()) {
    const DevicePiece piece = sweep.Next();
    if (piece.doing != DeviceActivityKind::kIdle) continue;
    if (piece.time.end_ns - LaunchedNs(trace, piece) >= waited.length_ns()) return {};
  }
  return waited;
}

}  // namespace steptrace::analyze
