// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

// Calls of a device's runtime or driver that return only when the device has come so far, by name.
namespace steptrace::analyze {

// cudaStreamSynchronize, hipDeviceSynchronize, zeCommandQueueSynchronize, urQueueFinish,
// synchronizeStream (MTIA), CommonPjRtBuffer::Await (XLA), ...
inline bool IsSynchronisation(std::string_view call) {
  for (std::string_view awaits : {"::Await", "BlockUntilReady", "BlockHostUntil", "Wait for "}) {
    if (call.find(awaits) != call.npos) return true;
  }
  constexpr std::array<std::string_view, 4> kWaits = {"urQueueFinish", "urEventWait",
                                                      "piQueueFinish", "piEventsWait"};
  return call.find("ynchronize") != call.npos || std::ranges::find(kWaits, call) != kWaits.end();
}

// The same, and what waits besides what it is for: copies that are not asynchronous, and freeing.
inline bool IsWaitingCall(std::string_view call) {
  if (IsSynchronisation(call)) return true;
  if (call.find("Async") != call.npos) return false;
  // Of oneAPI's runtimes: asynchronous whatever is enqueued.
  if (call.find("Enqueue") != call.npos || call.find("Append") != call.npos) return false;
  return call.find("Memcpy") != call.npos || call.find("Free") != call.npos;
}

}  // namespace steptrace::analyze
