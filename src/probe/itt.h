// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The collector of ITT: in a window of operators, each task of PyTorch's domain becomes a range of
// category kOperator in its thread's ring, each of oneDNN's one of kPrimitive. Outside, a task
// (oneDNN's come always) costs one branch.
//
// Any thread. Nothing is allocated: texts and handles lie in static memory, and what finds no room
// there is counted as a name that was lost. Of one step no more is recorded than was allowed: a
// step that holds an evaluation may have a thousand times the operators of the others.
namespace steptrace::probe {

// Whether tasks are recorded. On: also wakes the reader of the rings, for a ring holds what fast
// operators say in less time than it rests. Off: also ends, in this thread, the ranges that are
// still open.
void RecordOperators(bool on);

// More than any step of a training that was seen has: of such a step there are 100 MB of journal.
inline constexpr uint64_t kMostOperatorsOfAStep = 1 << 20;

// A step begins, of which each thread records at most so many operators; what it begins beyond them
// is left out, and the thread's next record says that there is a gap. Returns how many this thread
// has left out since the step before began.
uint64_t BeginOperatorStep(uint64_t most);

// Whether this thread's ring has room for a step of so many, also where nobody reads it for that
// long. Where not, its reader is woken.
bool HasRoomForOperators(uint64_t operators);

// Operators and primitives that this thread has begun since it last turned recording on.
uint64_t OperatorCount();

}  // namespace steptrace::probe
