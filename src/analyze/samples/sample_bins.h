// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "analyze/code/stack_class.h"

// What a sample counts as, by its stack's class.
namespace steptrace::analyze {

// Whether a checkpoint is written in a step.
enum class StepSaves : uint8_t { kNo, kYes, kUntold };

// The bin of a sample in a fetch, and whether it waited for no lock.
std::pair<size_t, bool> BatchBin(const StackClass& of, bool waits);
// Whether a training thread runs code of Python's outside torch, which it neither awaits from
// others nor evaluates with.
bool RunsOutside(const StackClass& of, bool waits, StepSaves saves);
// The bin of a training thread that does.
size_t OutsideBin(const StackClass& of, StepSaves saves);
// The training thread waits there for another thread or process, asks it, or unpickles what it
// made.
bool Awaits(const StackClass& of);
// Whether it waits outside torch, for nobody.
bool WaitsOutside(const StackClass& of, bool waits, StepSaves saves);
// Whether a thread beside the training one may be making something there.
bool MayMake(const StackClass& of);

}  // namespace steptrace::analyze
