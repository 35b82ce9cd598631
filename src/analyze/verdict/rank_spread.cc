// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/rank_spread.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/report/sentence.h"

namespace steptrace::analyze {
namespace {

double ShareOn(const RankTimes& rank, SuspectId suspect) {
  const auto whole = static_cast<double>(std::max<int64_t>(Sum(rank.stages), 1));
  return static_cast<double>(At(BySuspect(rank.stages), suspect)) / whole;
}

// Of so few steps (none, where it only came last in others' steps) a share says nothing.
bool IsTold(const VerdictInput& input, const RankTimes& rank) {
  return rank.steps >= (input.profiled ? 1 : kMinSteadySteps);
}

}  // namespace

Sentence RanksSeenText(const VerdictInput& input) {
  const auto seen = static_cast<int64_t>(input.times.ranks().size());
  const int64_t all = std::max<int64_t>(input.facts.world_size, input.report.run.ranks);
  if (seen == 0 || seen >= all) return "";
  if (seen > 1) return Phrase(" on {} of {} ranks", figure::Count(seen), figure::Count(all));
  return Phrase(" on rank {} of {}", input.times.ranks().begin()->first, figure::Count(all));
}

Sentence RankSpreadText(const VerdictInput& input, SuspectId suspect) {
  std::optional<RankSuspect> least, most;
  for (const auto& [number, rank] : input.times.ranks()) {
    if (!IsTold(input, rank)) continue;
    const RankSuspect one = {number, suspect, ShareOn(rank, suspect)};
    if (!least || one.share < least->share) least = one;
    if (!most || one.share > most->share) most = one;
  }
  const Sentence seen = RanksSeenText(input);
  if (!least || most->share - least->share < kRanksDiffer) return seen;
  const Sentence ranks =
      seen.empty() ? Phrase(" over {} ranks",
                            figure::Count(static_cast<int64_t>(input.times.ranks().size())))
                   : seen;
  return Phrase("{}, from {} on rank {} to {} on rank {}", ranks, figure::Share(least->share),
                least->rank, figure::Share(most->share), most->rank);
}

std::optional<RankSuspect> LargestOfARank(const VerdictInput& input) {
  std::optional<RankSuspect> largest;
  if (input.times.ranks().size() < 2) return largest;
  for (const auto& [number, rank] : input.times.ranks()) {
    if (!IsTold(input, rank)) continue;
    for (const SuspectId suspect : kSuspects) {
      if (suspect == SuspectId::kModel) continue;
      const double share = ShareOn(rank, suspect);
      if (!largest || share > largest->share) largest = {number, suspect, share};
    }
  }
  return largest;
}

}  // namespace steptrace::analyze
