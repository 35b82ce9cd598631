// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probe/cupti_users.h"

// The collector of what NVIDIA devices do, by CUPTI's activity API: in a window of kernels each
// kernel, copy, fill and the host's call for it becomes a record of kActivity.
//
//   off ── BeginKernels ──► on ── EndKernels ──► ending ── DrainKernels(true) ──► released ──► off
//                                                               until it is true ─┘
//
// The library is the one that the process has loaded itself. Nothing is waited for: what the device
// has not done when the window ends is told while it is `ending`. Buffers are of a fixed pool. The
// completed ones are turned into records by the thread in which CUPTI completes them (its own), as
// far as that thread's ring has room; what is left then goes on with the next one, or in
// DrainKernels.
//
// Begin, End and Drain belong to one thread, the one that trains. In a child of a fork all is off
// for good: CUPTI cannot be used there.
namespace steptrace::probe {

// Null: on. Else why not, a sentence that stands until the next call. Where it is another user of
// CUPTI (cupti_users.h) the agent hears of it as a loss.
const char* BeginKernels(KnownUsers known);
// Whether the last one refused because another tool has CUPTI.
bool KernelsTaken();

// The host's calls are no longer told.
void EndKernels();

// Hands over what is there. `last`: takes also what CUPTI still holds, and ends. True: all is off.
bool DrainKernels(bool last);

// Once the window has ended: whether the device is past it, so that all of it is told but what
// other streams still do. False also where it is not known at the moment.
bool DeviceIsPastWindow();

// All is off: CUPTI may leave the process (cupti_detach.h), for it slows launches down as long as
// it is there. Null: it will. Else why it stays, a sentence.
const char* DetachKernels();

// Whether CUPTI has left since the last window began.
bool CuptiHasLeft();

// Forgets what windows before left: graphs that were seen, numbers that were told.
void ResetKernelsForTesting();

// Device activities that were handed over since the last begin.
uint64_t KernelCount();

}  // namespace steptrace::probe
