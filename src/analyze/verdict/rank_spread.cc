// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/rank_spread.h"

#include <algorithm>

namespace steptrace::analyze {

namespace part = model::finding::part;

namespace {

double ShareOn(const RankTimes& rank, SuspectId suspect) {
  const auto whole = static_cast<double>(std::max<int64_t>(Sum(rank.stages), 1));
  return static_cast<double>(At(BySuspect(rank.stages), suspect)) / whole;
}

// Of so few steps (none, where it only came last in others' steps) a share says nothing.
bool HasEnoughSteps(const VerdictInput& input, const RankTimes& rank) {
  return rank.steps >= (input.profiled ? 1 : kMinSteadySteps);
}

}  // namespace

part::Ranks RanksSeenPart(const VerdictInput& input) {
  const auto seen = static_cast<int64_t>(input.times.ranks().size());
  const int64_t all = std::max<int64_t>(input.facts.world_size, input.report.run.ranks);
  if (seen == 0 || seen >= all) return {};
  part::Ranks ranks{.seen = seen, .all = all};
  if (seen == 1) ranks.rank = input.times.ranks().begin()->first;
  return ranks;
}

part::Ranks RankSpreadPart(const VerdictInput& input, SuspectId suspect) {
  std::optional<RankSuspect> least, most;
  for (const auto& [number, rank] : input.times.ranks()) {
    if (!HasEnoughSteps(input, rank)) continue;
    const RankSuspect one = {number, suspect, ShareOn(rank, suspect)};
    if (!least || one.share < least->share) least = one;
    if (!most || one.share > most->share) most = one;
  }
  part::Ranks ranks = RanksSeenPart(input);
  if (!least || most->share - least->share < kRanksDiffer) return ranks;
  ranks.seen = static_cast<int64_t>(input.times.ranks().size());
  ranks.least = least->share;
  ranks.least_rank = least->rank;
  ranks.most = most->share;
  ranks.most_rank = most->rank;
  return ranks;
}

std::optional<RankSuspect> LargestOfARank(const VerdictInput& input) {
  std::optional<RankSuspect> largest;
  if (input.times.ranks().size() < 2) return largest;
  for (const auto& [number, rank] : input.times.ranks()) {
    if (!HasEnoughSteps(input, rank)) continue;
    for (const SuspectId suspect : kSuspects) {
      if (suspect == SuspectId::kModel) continue;
      const double share = ShareOn(rank, suspect);
      if (!largest || share > largest->share) largest = {number, suspect, share};
    }
  }
  return largest;
}

}  // namespace steptrace::analyze
