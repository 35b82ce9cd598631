// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/rank_spread.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/report/quantity.h"

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

std::string RanksSeenText(const VerdictInput& input) {
  const auto seen = static_cast<int64_t>(input.times.ranks().size());
  const int64_t all = std::max<int64_t>(input.facts.world_size, input.report.run.ranks);
  if (seen == 0 || seen >= all) return "";
  if (seen > 1) return fmt::format(" on {} of {} ranks", FormatCount(seen), FormatCount(all));
  return fmt::format(" on rank {} of {}", input.times.ranks().begin()->first, FormatCount(all));
}

std::string RankSpreadText(const VerdictInput& input, SuspectId suspect) {
  std::optional<RankSuspect> least, most;
  for (const auto& [number, rank] : input.times.ranks()) {
    if (!IsTold(input, rank)) continue;
    const RankSuspect one = {number, suspect, ShareOn(rank, suspect)};
    if (!least || one.share < least->share) least = one;
    if (!most || one.share > most->share) most = one;
  }
  const std::string seen = RanksSeenText(input);
  if (!least || most->share - least->share < kRanksDiffer) return seen;
  const std::string ranks =
      seen.empty() ? fmt::format(" over {} ranks",
                                 FormatCount(static_cast<int64_t>(input.times.ranks().size())))
                   : seen;
  return fmt::format("{}, from {} on rank {} to {} on rank {}", ranks, FormatShare(least->share),
                     least->rank, FormatShare(most->share), most->rank);
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
