// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace steptrace::agent {

// One thread sleeps until a time has passed or another thread calls. A condition variable does that
// too, but takes a third more CPU for each time that only the time has passed.
class WakeSignal {
 public:
  // How often was called so far.
  uint32_t calls() const { return calls_.load(std::memory_order_acquire); }
  // Any thread. What it wrote before is seen by whoever sees the call.
  void Call();
  // Returns at once if there were other calls than that; may return early for no reason.
  void WaitFor(uint32_t calls, int64_t ns);

 private:
  std::atomic<uint32_t> calls_{0};
};

}  // namespace steptrace::agent
