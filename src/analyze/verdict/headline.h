// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyze/attribution/step_times.h"
#include "analyze/verdict/verdict_input.h"
#include "model/finding_kinds.h"

// What headlines of several kinds say alike.
namespace steptrace::analyze {

// An interval that rounds to one number adds nothing.
model::finding::part::Share SharePart(double share, const Interval& interval);
model::finding::part::ShareOfStep ShareOfStepPart(double share, const Interval& interval);

// Other work is nobody, its largest stage is somebody. Time that is not attributed is blamed on
// nobody: the sentence says where it is, as far as that is seen.
model::finding::part::Suspect SuspectPart(const VerdictInput& input, SuspectId suspect);

// What slows the model is in the way, whatever else is not.
model::finding::part::Slowed SlowedPart(const VerdictInput& input);
bool IsSlowed(const model::finding::part::Slowed& slowed);

// On how few steps it rests.
model::finding::part::Seen SeenPart(const VerdictInput& input);

// A verdict of so few steps that no interval is known.
bool HasFewSteps(const VerdictInput& input);

// Of a stage, a function with so much of it is all of it.
inline constexpr double kNearlyAllOf = 0.9;

}  // namespace steptrace::analyze
