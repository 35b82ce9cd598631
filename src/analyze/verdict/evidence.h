// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analyze/verdict/verdict.h"

namespace steptrace::analyze {

// What speaks for the verdict, the strongest first, with the rows that show it.
std::vector<model::Finding> CollectEvidence(const VerdictInput& input, const Verdict& verdict);

// A call that waits for others, by its class too: "Queue.get (train.py:9)".
std::string AwaitedText(const StageFunction& function);

// Whether torch works for that function between the phases of a step; else it waits there.
bool RunsBetween(const VerdictInput& input, const StageFunction& function);

// Framework overhead on a job that computes on the CPU alone, whose threads other work keeps from
// the cores: between two operators they wait for one too.
bool IsHeldUp(const VerdictInput& input, const Verdict& verdict);

// Whether any work of a device itself is known, and not its utilisation alone: a profile need not
// hold any.
bool SawDeviceWork(const VerdictInput& input);

// Where samples saw most of a stage; null: none were taken there.
const StageFunction* LargestFunction(const VerdictInput& input, SubStage stage);

// The user's range that holds most of the time without a name; empty: there is none.
struct UserRange {
  std::string name;
  int64_t ns = 0;
};
UserRange LargestUserRange(const VerdictInput& input);

}  // namespace steptrace::analyze
