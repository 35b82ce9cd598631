// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/python_api.h"

// The process's Python stacks, sampled by a thread of its own: where the agent may not read them
// from outside and asks for it (wire/stack_control.h). Announced: the thread is "steptrace-stack".
//
//          ClaimStacks()           TakeStacks() begins
//   idle ────────────────► claimed ────────────────► on ──── asked to end, or nothing more to do
//    ▲  ▲                                            │
//    │  └────────────────────────────────────────────┘        StopStacks(for good) ──► off
//    └── in a forked child, where there is no such thread
//
// Whether a thread has run since its last sample, and what it does now, is seen without the
// interpreter's lock, which is not asked for while all of them wait. The lock is held from the
// first frame to the last, and no Python code runs meanwhile: the stacks are of one moment and
// right, and nothing of the script's lives longer for having been looked at.
namespace steptrace::probe {

// Whether the agent asks for stacks and nobody takes them: some loads.
bool StacksDue();

// True once: the caller is to start a thread that calls TakeStacks().
bool ClaimStacks();

// Samples until the agent does not want it any more, StopStacks(), or the main thread's Python code
// has ended. With the interpreter's lock. `tools`: see StackTools.
void TakeStacks(PyObject* tools);

// Ends that thread and waits for it, half a second at most. With the interpreter's lock, which
// is left meanwhile. `for_good`: none is claimed any more.
void StopStacks(bool for_good);

}  // namespace steptrace::probe
