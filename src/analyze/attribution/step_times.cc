// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/step_times.h"

#include <algorithm>
#include <limits>
#include <set>

#include "analyze/stats/distribution.h"
#include "analyze/stats/outliers.h"

namespace steptrace::analyze {
namespace {

constexpr size_t kMaxOutliersNamed = 20;
constexpr int64_t kMaxStageSamples = 2048;  // a rank: a median of so many is within 2 % of the rank

double Total(const std::vector<int64_t>& values) {
  double total = 0;
  for (const int64_t value : values) total += static_cast<double>(value);
  return total;
}

}  // namespace

StepTimes::StepTimes(const ReportInput& input, const StepSelection& selection,
                     const AttributionRules& rules) {
  split_ = rules.dispatch;
  keeps_steps_ = rules.keep_steps;
  const bool chosen = rules.profiled != nullptr || input.options.of_time_range;
  few_chosen_ = chosen && selection.steps < kMinSteadySteps;
  FindOutlierRules(input, selection);
  sample_every_ = std::max<int64_t>(1, (selection.steps + kMaxStageSamples - 1) / kMaxStageSamples);
  const auto& steady = selection.steady;
  cells_.resize(std::min<size_t>(steady.size(), kMaxBootstrapCells));
  std::vector<Member> members;
  for (size_t begin = 0, end = 0; begin < steady.size(); begin = end) {
    const int64_t number = input.steps[steady[begin]].step;
    members.clear();
    for (end = begin; end < steady.size(); ++end) {
      if (input.steps[steady[end]].step != number) break;
      Member& member = members.emplace_back();
      member.row = input.steps[steady[end]];
      member.times = Attribute(member.row, rules);
    }
    AddStep(members, cells_[begin * cells_.size() / steady.size()]);
  }
  for (const auto& [rank, times] : ranks_) AddTo(total_, times.stages);
  std::erase_if(cells_, [](const Cell& cell) { return Sum(cell.stages) == 0; });
  NameOutliers();
}

void StepTimes::FindOutlierRules(const ReportInput& input, const StepSelection& selection) {
  std::map<int32_t, std::vector<int64_t>> durations;
  for (uint32_t i : selection.steady) {
    const store::StepRow& row = input.steps[i];
    const int32_t rank = row.rank;
    const int64_t dur_ns = row.dur_ns;
    durations[rank].push_back(dur_ns);
  }
  for (auto& [rank, values] : durations) {
    outlier_threshold_ns_[rank] = FindOutlierRule(std::move(values))->threshold_ns;
  }
}

void StepTimes::AddStep(std::span<Member> members, Cell& cell) {
  SplitCommunication(members, cell);
  cell.rows += static_cast<int64_t>(members.size());
  for (const Member& member : members) {
    RankTimes& rank = ranks_[member.row.rank];
    if (rank.steps % sample_every_ == 0) SampleStages(member);
    ++rank.steps;
    AddTo(rank.stages, member.times);
    AddTo(cell.stages, member.times);
    total_ns_ = SaturatingAdd(total_ns_, member.row.dur_ns);
    Count(member.row);
    NoteOutlier(member);
    if (keeps_steps_) Keep(member);
  }
}

void StepTimes::Keep(const Member& member) {
  const SuspectTimes suspects = BySuspect(member.times);
  kept_steps_.push_back({.rank = member.row.rank,
                         .node = member.row.node,
                         .step = member.row.step,
                         .total_ns = Sum(member.times),
                         .computation_ns = At(suspects, SuspectId::kModel),
                         .transfer_ns = At(member.times, SubStage::kExposed),
                         .wait_ns = At(member.times, SubStage::kStraggler)});
}

void StepTimes::Count(const store::StepRow& row) {
  counts_.waits += std::max(row.waits, 0);
  counts_.starved_waits += std::clamp(row.starved_waits, 0, std::max(row.waits, 0));
  counts_.checkpoints += row.checkpoint_ns > 0;
  counts_.evaluations += row.evaluation_ns > 0;
  counts_.collections += row.gc_ns > 0;
  ++counts_.steps;
  counts_.backwards += std::max(row.backwards, 0);
  counts_.optimizer_steps += std::max(row.optimizer_steps, 0);
  counts_.explicit_communication_ns =
      SaturatingAdd(counts_.explicit_communication_ns, row.communication_phase_ns);
}

// What every rank spends in communication is the exchange itself; the rest is waiting for the rank
// that spends least: it came last.
void StepTimes::SplitCommunication(std::span<Member> members, Cell& cell) {
  if (members.size() < 2) return;
  // Of a rank that stands twice in a step nobody knows which of the two the others met.
  const auto same_rank = [](const Member& a, const Member& b) { return a.row.rank == b.row.rank; };
  if (std::adjacent_find(members.begin(), members.end(), same_rank) != members.end()) return;
  ++shared_steps_;
  const auto communication = [](const Member& m) { return At(m.times, SubStage::kExposed); };
  auto late = std::min_element(members.begin(), members.end(), [&](const auto& a, const auto& b) {
    return communication(a) < communication(b);
  });
  const int64_t least = communication(*late);
  int64_t next = std::numeric_limits<int64_t>::max();
  int64_t waited = 0;
  RankTimes& rank = ranks_[late->row.rank];
  StageTimes others{};
  for (Member& member : members) {
    if (&member == &*late) continue;
    next = std::min(next, communication(member));
    const int64_t wait = communication(member) - least;
    waited += wait;
    if (wait > 0) rank.waiters[member.row.rank] += wait;
    Move(member.times, SubStage::kExposed, SubStage::kStraggler, wait);
    AddTo(others, member.times);
  }
  if (waited == 0) return;
  const auto peers = static_cast<int64_t>(members.size()) - 1;
  ++rank.last_in_steps;
  rank.caused_wait_ns = SaturatingAdd(rank.caused_wait_ns, waited);
  for (size_t i = 0; i < kSubStageCount; ++i) rank.excess[i] += late->times[i] - others[i] / peers;
  const int64_t gain = (next - least) * static_cast<int64_t>(members.size());
  cell.straggler_gain_ns += gain;
  straggler_gain_ns_ += gain;
}

void StepTimes::SampleStages(const Member& member) {
  samples_[member.row.rank].push_back(member.times);
}

void StepTimes::NoteOutlier(const Member& member) {
  const store::StepRow& row = member.row;
  if (row.dur_ns <= outlier_threshold_ns_[row.rank]) return;
  ++outlier_count_;
  longest_.push_back({{row.rank, row.step, row.ts_ns, row.dur_ns, "", 0}, member.times});
  if (longest_.size() <= kMaxOutliersNamed) return;
  const auto shortest = std::min_element(
      longest_.begin(), longest_.end(),
      [](const auto& a, const auto& b) { return a.outlier.dur_ns < b.outlier.dur_ns; });
  longest_.erase(shortest);
}

void StepTimes::NameOutliers() {
  std::map<int32_t, StageTimes> medians;
  for (auto& [rank, samples] : samples_) {
    std::vector<int64_t> values(samples.size());
    for (size_t stage = 0; stage < kSubStageCount; ++stage) {
      for (size_t i = 0; i < samples.size(); ++i) values[i] = samples[i][stage];
      medians[rank][stage] = TakePercentile(values, 50);
    }
  }
  for (OutlierCandidate& candidate : longest_) {
    const StepGrowth growth = LargestGrowth(candidate.times, medians[candidate.outlier.rank]);
    candidate.outlier.cause = StageName(static_cast<SubStage>(growth.part));
    candidate.outlier.excess_ns = growth.excess;
    outliers_.push_back(candidate.outlier);
  }
  std::sort(outliers_.begin(), outliers_.end(), [](const Outlier& a, const Outlier& b) {
    return a.dur_ns != b.dur_ns ? a.dur_ns > b.dur_ns : a.ts_ns < b.ts_ns;
  });
}

Interval StepTimes::IntervalOf(const std::vector<int64_t>& numerators, Per per) const {
  std::vector<int64_t> whole_ns, rows;
  whole_ns.reserve(cells_.size());
  rows.reserve(cells_.size());
  for (const Cell& cell : cells_) {
    whole_ns.push_back(Sum(cell.stages));
    rows.push_back(cell.rows);
  }
  const double part_ns = Total(numerators);
  const double all_ns = Total(whole_ns);
  const double share = all_ns <= 0 ? 0 : part_ns / all_ns;
  if (few_chosen_) return {share, share};
  if (per == Per::kTime) return BootstrapRatioOfSums(numerators, whole_ns);
  const Interval ns = BootstrapRatioOfSums(numerators, rows);
  const double mean_ns = all_ns / std::max(Total(rows), 1.0);
  return mean_ns <= 0 ? ns : Interval{ns.low / mean_ns, ns.high / mean_ns};
}

std::vector<StageTimes> StepTimes::MeanOfCells() const {
  std::vector<StageTimes> means;
  means.reserve(cells_.size());
  for (const Cell& cell : cells_) {
    StageTimes& mean = means.emplace_back(cell.stages);
    for (int64_t& ns : mean) ns /= std::max<int64_t>(cell.rows, 1);
  }
  return means;
}

Interval StepTimes::StragglerGainShare() const {
  std::vector<int64_t> numerators;
  for (const Cell& cell : cells_) numerators.push_back(cell.straggler_gain_ns);
  return IntervalOf(numerators);
}

Interval StepTimes::Share(SuspectId suspect, Per per) const {
  std::vector<int64_t> numerators;
  for (const Cell& cell : cells_) numerators.push_back(At(BySuspect(cell.stages), suspect));
  const Interval interval = IntervalOf(numerators, per);
  return split_ == nullptr ? interval : WithSplit(interval, suspect, DispatchShare(), *split_);
}

double StepTimes::DispatchShare() const {
  return static_cast<double>(At(total_, SubStage::kDispatch)) /
         static_cast<double>(std::max<int64_t>(total_ns_, 1));
}

Interval StepTimes::Share(SubStage stage, Per per) const {
  std::vector<int64_t> numerators;
  for (const Cell& cell : cells_) numerators.push_back(At(cell.stages, stage));
  const Interval interval = IntervalOf(numerators, per);
  if (split_ == nullptr) return interval;
  const SuspectId suspect = SuspectOf(stage);
  if (stage == SubStage::kDispatch) return WithSplit(interval, suspect, DispatchShare(), *split_);
  if (suspect != SuspectId::kModel || At(total_, stage) == 0) return interval;
  // Dispatch was taken from the phases by their size.
  const double of_model =
      static_cast<double>(At(total_, stage)) / static_cast<double>(At(BySuspect(total_), suspect));
  return WithSplit(interval, suspect, DispatchShare() * of_model, *split_);
}

Interval StepTimes::Lead(SuspectId first, SuspectId second) const {
  std::vector<int64_t> numerators;
  for (const Cell& cell : cells_) {
    const SuspectTimes times = BySuspect(cell.stages);
    numerators.push_back(At(times, first) - At(times, second));
  }
  return IntervalOf(numerators);
}

StragglerCause LateCause(const StageTimes& excess) {
  StageTimes by_cause = excess;
  // The data pipeline's stages count together: which of them it is differs from step to step.
  for (size_t i = 0; i < kHostDataStages; ++i) {
    const auto stage = static_cast<SubStage>(i);
    if (stage == SubStage::kGetitem) continue;
    At(by_cause, SubStage::kGetitem) += At(by_cause, stage);
    At(by_cause, stage) = 0;
  }
  At(by_cause, SubStage::kExposed) = 0;
  At(by_cause, SubStage::kStraggler) = 0;
  const auto largest = std::max_element(by_cause.begin(), by_cause.end());
  const auto stage = static_cast<SubStage>(largest - by_cause.begin());
  if (stage == SubStage::kGetitem) return SuspectId::kDataPipeline;
  return stage;
}

}  // namespace steptrace::analyze
