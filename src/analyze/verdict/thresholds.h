// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a verdict turns. Shares are of the steady steps.
namespace steptrace::analyze {

// A suspect is found when the lower end of its interval is over this: a fifth of the step. Below
// it, fixing gains less than 1.25x.
inline constexpr double kSuspectThreshold = 0.20;
// The data pipeline's is higher: one that keeps up still spends up to a quarter of a short step on
// taking over ready batches.
inline constexpr double kDataPipelineThreshold = 0.25;
// ... and when it is this much ahead of the next one: nearer than that, fixing either gains alike.
inline constexpr double kClearLead = 1.25;
// Who makes the batches mostly waits: more of them at once need no more cores.
inline constexpr double kMostlyWaits = 0.50;
// A rank that is late by less than this share of the step is within what schedulers do.
inline constexpr double kStragglerThreshold = 0.10;
// One rank is to blame when it is last in so many of the steps, or causes so much of the waiting.
inline constexpr double kConsistentlyLast = 0.80;
// The model fills the step when it has this much of it and nobody else is found.
inline constexpr double kModelFills = 0.70;
// ... and nothing is in the way when every other suspect has less than this.
inline constexpr double kInTheWay = 0.10;

}  // namespace steptrace::analyze
