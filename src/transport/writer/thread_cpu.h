// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transport/writer/thread_ring.h"

namespace steptrace::transport {

// This thread's CPU time and the time that it spent runnable without a core, since it began.
// The second comes from /proc/thread-self/schedstat through a descriptor that is kept per ring: to
// open it each time costs several times the reading. It is not read again, which costs more than
// all else, while the thread has been on its core but for 10 us since it was read: it did not wait
// for longer than that. `known` false: the kernel does not say.
CpuMark ReadCpu(ThreadRing* ring);

// Closes the kept descriptor, if it is still ours.
void CloseCpu(ThreadRing* ring);

}  // namespace steptrace::transport
