// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The collector of ITT: in a window of operators, each task of PyTorch's domain becomes a range of
// category kOperator in its thread's ring, each of oneDNN's one of kPrimitive. Outside, a task
// (oneDNN's come always) costs one branch.
//
// Any thread. Nothing is allocated: texts and handles lie in static memory, and what finds no room
// there is counted as a name that was lost.
namespace steptrace::probe {

// Whether tasks are recorded. Off: also ends, in this thread, the ranges that are still open.
void RecordOperators(bool on);

// Operators and primitives that this thread has begun since it last turned recording on.
uint64_t OperatorCount();

// Whether a program's static half has come for its pointers.
bool IttInUse();

}  // namespace steptrace::probe
