// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyze/verdict/verdict_input.h"
#include "analyze/verdict/verdict_value.h"

// What fixes the framework's own time, but for settings that make it slow.
namespace steptrace::analyze {

// Time between operators, and from them to the device.
Advice AdviseDispatch(const VerdictInput& input);
Advice AdviseLaunch(const VerdictInput& input);
Advice AdviseSynchronisation(const VerdictInput& input);

// "forward (train.py:5)".
model::PlacedText CompiledText(const Recompilation& one);
// By the guard that failed; null: none was told.
Advice AdviseRecompilation(const Recompilation* why);
// Of a function of which no more is compiled, and which runs on without.
std::optional<Advice> AdviseNotCompiled(const VerdictInput& input);

}  // namespace steptrace::analyze
