// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyze/attribution/step_slowdown.h"
#include "analyze/verdict/verdict_input.h"
#include "analyze/verdict/verdict_value.h"
#include "model/placed_text.h"

// What headline, evidence and advice all ask of a verdict's input.
namespace steptrace::analyze {

// A call that waits for others, by its class too: "Queue.get (train.py:9)".
model::PlacedText AwaitedText(const StageFunction& function);

// Whether torch works for that function between the phases of a step; else it waits there.
bool RunsBetween(const VerdictInput& input, const StageFunction& function);

// Framework overhead on a job that computes on the CPU alone, whose threads other work keeps from
// the cores: between two operators they wait for one too.
bool IsDelayedByContention(const VerdictInput& input, const Verdict& verdict);

// Whether any work of a device itself is known, and not its utilisation alone: a profile need not
// hold any.
bool SawDeviceWork(const VerdictInput& input);

// Where samples saw most of a stage; null: none were taken there.
const StageFunction* LargestFunction(const VerdictInput& input, SubStage stage);

// Where samples saw most of the stage that grows; null: no function has most of it.
const StageFunction* FunctionThatGrows(const VerdictInput& input, const StepSlowdown& drift);

// Of what the data pipeline takes, most is waiting for a core, and batches stand ready: who waits
// is the thread that trains. Not where there are few steps or several ranks to tell of.
bool TrainingLacksCore(const VerdictInput& input);

// Whether so much of the step is a forward that nothing shows that the model cannot be called
// healthy.
bool MayWaitInForward(const VerdictInput& input);

// Whether it is so much that, were it waiting, it could be to blame.
bool CouldBlameForward(const VerdictInput& input);

// Whether nothing of its stacks was to be had, for the reason that the facts tell: more steps of
// such a run would tell no more of forward.
bool StacksWereNotTaken(const VerdictInput& input);

}  // namespace steptrace::analyze
