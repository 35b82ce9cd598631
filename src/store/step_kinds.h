// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kinds of steps, as `steps` stores them.
namespace steptrace::store {

inline constexpr const char* kStepTrain = "train";
inline constexpr const char* kStepEval = "eval";
inline constexpr const char* kStepWarmUp = "warm-up";

}  // namespace steptrace::store
