// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/rank_figures.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analyze/distributed/blame.h"

namespace steptrace::analyze {
namespace {

// Both ways measure one waiting between other moments, and differ by 1 to 2 % where calls show all
// of it. The calls tell its causes: the steps have to explain more than that.
constexpr int64_t kPartThatIsMore = 20;

OverlapTimes TimesOf(const RankStep& step) {
  OverlapTimes times;
  times.total_ns = step.total_ns;
  times.computation_ns = step.computation_ns;
  times.exposed_ns = step.transfer_ns + step.wait_ns;
  times.other_ns = times.total_ns - times.computation_ns - times.exposed_ns;
  return times;
}

void Add(const OverlapTimes& times, OverlapTimes& sum) {
  sum.total_ns += times.total_ns;
  sum.computation_ns += times.computation_ns;
  sum.exposed_ns += times.exposed_ns;
  sum.other_ns += times.other_ns;
}

// By the stages in which it exceeds the others, in proportion; they sum to what it caused.
std::vector<BlamePartRow> PartsOf(const RankTimes& rank) {
  std::vector<int64_t> weights(kSubStageCount);
  for (size_t i = 0; i < kSubStageCount; ++i) {
    const auto stage = static_cast<SubStage>(i);
    const bool exchange = stage == SubStage::kExposed || stage == SubStage::kStraggler;
    weights[i] = exchange ? 0 : std::max<int64_t>(rank.excess[i], 0);
  }
  auto& unknown = weights[static_cast<size_t>(SubStage::kUnknown)];
  const auto none = [](int64_t weight) { return weight == 0; };
  if (std::ranges::all_of(weights, none)) unknown = 1;
  const std::vector<int64_t> ns = Apportion(rank.caused_wait_ns, weights);
  std::vector<BlamePartRow> parts;
  for (size_t i = 0; i < kSubStageCount; ++i) {
    if (ns[i] > 0)
      parts.push_back({.cause = StageName(static_cast<SubStage>(i)),
                       .before_step = false,
                       .name = "",
                       .op = "",
                       .ns = ns[i]});
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.ns > b.ns; });
  return parts;
}

ProfileBlame BlameOf(const BlameRow& row, const RankTimes& rank, int64_t all_ns) {
  ProfileBlame blame;
  blame.rank = row.rank;
  blame.caused_wait_ns = row.caused_wait_ns;
  blame.share = static_cast<double>(row.caused_wait_ns) / static_cast<double>(all_ns);
  blame.cause = row.cause;
  blame.steps = rank.last_in_steps;
  blame.in_step_ns = row.caused_wait_ns;
  blame.waiters.assign(rank.waiters.begin(), rank.waiters.end());
  std::stable_sort(blame.waiters.begin(), blame.waiters.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  blame.parts = PartsOf(rank);
  return blame;
}

void AddStepFigures(const StepTimes& times, const DistributedSection& steps, int64_t wait_ns,
                    ProfileDistributed& calls) {
  calls.source = RankSource::kSteps;
  calls.wait_ns = wait_ns;
  calls.steps.clear();
  std::map<int32_t, ProfileRank> ranks;
  for (ProfileRank& rank : calls.ranks) {
    rank.times = {};
    rank.transfer_ns = rank.wait_ns = rank.unmatched_ns = rank.caused_wait_ns = 0;
    ranks[rank.rank] = rank;
  }
  for (const RankStep& step : times.kept_steps()) {
    ProfileStep row;
    row.rank = step.rank;
    row.step = step.step;
    row.times = TimesOf(step);
    row.transfer_ns = step.transfer_ns;
    row.wait_ns = step.wait_ns;
    ProfileRank& rank = ranks[step.rank];
    rank.rank = step.rank;
    rank.node = step.node;
    Add(row.times, rank.times);
    rank.transfer_ns += row.transfer_ns;
    rank.wait_ns += row.wait_ns;
    calls.steps.push_back(row);
  }
  // The ranks have all of them; listed are the newest, as of the calls.
  constexpr size_t kMostListed = 100'000;
  if (calls.steps.size() > kMostListed) {
    std::ranges::stable_sort(calls.steps, {}, &ProfileStep::step);
    calls.steps.erase(calls.steps.begin(), calls.steps.end() - kMostListed);
  }
  std::stable_sort(calls.steps.begin(), calls.steps.end(),
                   [](const auto& a, const auto& b) { return a.rank < b.rank; });
  calls.blame.clear();
  for (const BlameRow& row : steps.blame) {
    calls.blame.push_back(BlameOf(row, times.ranks().at(row.rank), wait_ns));
    ranks[row.rank].caused_wait_ns = row.caused_wait_ns;
  }
  calls.ranks.clear();
  for (auto& [number, rank] : ranks) calls.ranks.push_back(rank);
}

void SetComputation(int64_t ns, OverlapTimes& times) {
  const int64_t moved = std::clamp<int64_t>(ns, 0, std::max<int64_t>(times.other_ns, 0));
  times.computation_ns += moved;
  times.other_ns -= moved;
}

// Calls tell no computing: the phases of the steady steps do.
void AddComputation(const StepTimes& times, ProfileDistributed& calls) {
  std::map<std::pair<int32_t, int64_t>, int64_t> computing_ns;
  for (const RankStep& step : times.kept_steps()) {
    computing_ns[{step.rank, step.step}] = step.computation_ns;
  }
  std::map<int32_t, int64_t> of_rank;
  for (ProfileStep& step : calls.steps) {
    const auto known = computing_ns.find({step.rank, step.step});
    if (known == computing_ns.end()) continue;
    SetComputation(known->second, step.times);
    of_rank[step.rank] += step.times.computation_ns;
  }
  for (ProfileRank& rank : calls.ranks) SetComputation(of_rank[rank.rank], rank.times);
}

}  // namespace

void AddCallFigures(const ProfileDistributed& calls, DistributedSection& steps) {
  for (RankSection& rank : steps.ranks) {
    const auto same = [&rank](const ProfileRank& one) { return one.rank == rank.rank; };
    const auto of = std::ranges::find_if(calls.ranks, same);
    if (of == calls.ranks.end()) continue;
    rank.computation_ns = of->times.computation_ns;
    rank.overlap_ns = of->times.overlap_ns;
    rank.exposed_ns = of->times.exposed_ns;
    rank.transfer_ns = of->transfer_ns;
    rank.wait_ns = of->wait_ns;
  }
  steps.blame.clear();
  for (const ProfileBlame& row : calls.blame) {
    steps.blame.push_back({row.rank, row.caused_wait_ns, row.cause});
  }
}

void AgreeOnRanks(const StepTimes& times, DistributedSection& steps, ProfileDistributed& calls) {
  if (calls.status == DistributedStatus::kNoCollectives) return;
  int64_t wait_ns = 0;
  for (const BlameRow& row : steps.blame) wait_ns += row.caused_wait_ns;
  if (wait_ns > calls.wait_ns + calls.wait_ns / kPartThatIsMore) {
    AddStepFigures(times, steps, wait_ns, calls);
    return;
  }
  if (!calls.computing_known) AddComputation(times, calls);
  AddCallFigures(calls, steps);
}

}  // namespace steptrace::analyze
