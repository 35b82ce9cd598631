// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/wake_signal.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

#include "base/time.h"

namespace steptrace::agent {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t), "the kernel takes a plain word");

void WakeSignal::Call() {
  calls_.fetch_add(1, std::memory_order_release);
  ::syscall(SYS_futex, &calls_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void WakeSignal::WaitFor(uint32_t calls, int64_t ns) {
  const timespec at_most{ns / kNsPerSecond, ns % kNsPerSecond};
  ::syscall(SYS_futex, &calls_, FUTEX_WAIT_PRIVATE, calls, &at_most, nullptr, 0);
}

}  // namespace steptrace::agent
