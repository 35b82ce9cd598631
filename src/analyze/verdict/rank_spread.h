// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "analyze/stages/stages.h"
#include "analyze/verdict/verdict_input.h"
#include "model/finding_kinds.h"

// A headline's share is of all ranks' steps together: where it is another on each, or where not all
// ranks were seen, it has to say so.
namespace steptrace::analyze {

// Shares of ranks that are further apart than this (of the step) are told one by one.
inline constexpr double kRanksDiffer = 0.10;

// Follows a share: " over 8 ranks, from 2 % on rank 1 to 54 % on rank 0"; of a job of which one
// rank is known " on rank 0 of 128". Nothing is known where the share is that of every rank.
model::finding::part::Ranks RankSpreadPart(const VerdictInput& input, SuspectId suspect);

// The same without shares: which ranks were seen, where they are not all.
model::finding::part::Ranks RanksSeenPart(const VerdictInput& input);

struct RankSuspect {
  int32_t rank = 0;
  SuspectId suspect = SuspectId::kUnattributed;
  double share = 0;  // of that rank's steps
};

// What takes most on a single rank, the model left out; nullopt of one rank alone.
std::optional<RankSuspect> LargestOfARank(const VerdictInput& input);

}  // namespace steptrace::analyze
