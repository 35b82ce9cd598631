// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/device_caveats.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analyze/attribution/unrecorded_work.h"
#include "analyze/trace/intervals.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {

namespace finding = model::finding;

namespace {

model::Finding StepsLeftOut(int64_t steps, bool profiled) {
  if (profiled) return Make(finding::RunStepsLeftOut{.steps = steps});
  return Make(finding::RunDevicesLeftOut{.steps = steps});
}

// A file is one rank's: what several processes or threads did in it is told as that of one, and
// processes number their launches alike.
std::optional<model::Finding> TogetherCaveat(const RankTrace& rank) {
  std::set<int64_t> processes;
  std::set<int32_t> threads;
  for (const TraceStep& step : rank.steps) threads.insert(step.lane);
  for (const TraceEvent& event : rank.host) {
    if (event.kind != EventKind::kRuntime && event.kind != EventKind::kStep) continue;
    processes.insert(rank.lanes[static_cast<size_t>(event.lane)].pid);
  }
  if (processes.size() > 1) {
    return Make(
        finding::ProfileProcessesTogether{.rank = rank.rank, .processes = processes.size()});
  }
  if (threads.size() > 1) {
    return Make(finding::ProfileThreadsTogether{
        .threads = threads.size(),
        .rank = rank.rank,
        .where = model::Conditions{{"rank", model::Compare::kEqual, rank.rank}}});
  }
  return std::nullopt;
}

// A thread is in one step at a time.
std::optional<model::Finding> OverlapCaveat(const RankTrace& rank) {
  constexpr int64_t kRoundedNs = 10'000;
  std::map<int32_t, int64_t> ended;  // by lane
  int64_t steps = 0;
  for (const TraceStep& step : rank.steps) {
    const auto [at, is_first] = ended.try_emplace(step.lane, step.end_ns());
    if (!is_first && step.ts_ns < at->second - kRoundedNs) ++steps;
    at->second = std::max(at->second, step.end_ns());
  }
  if (steps == 0) return std::nullopt;
  return Make(finding::ProfileStepsOverlap{.rank = rank.rank, .steps = steps});
}

std::optional<model::Finding> NestedCaveat(const RankTrace& rank) {
  if (rank.nested_marks == 0) return std::nullopt;
  return Make(finding::ProfileStepsNested{.rank = rank.rank, .marks = rank.nested_marks});
}

constexpr int64_t kWorthASentence = 50;  // one in so many of the steps' time

std::optional<model::Finding> UnrecordedCaveat(const VerdictInput& input, const RankTrace& rank) {
  const TimeRange steps = {input.selection.from_ns, input.selection.to_ns};
  const TimeRange time = Clip(UnrecordedWork(rank, *input.report.profile->strings), steps);
  if (time.length_ns() < steps.length_ns() / kWorthASentence) return std::nullopt;
  return Make(finding::ProfileWorkNotRecorded{.rank = rank.rank, .time = time.length_ns()});
}

}  // namespace

std::vector<model::Finding> DeviceCaveats(const VerdictInput& input) {
  std::vector<model::Finding> caveats;
  if (input.left_out > 0) caveats.push_back(StepsLeftOut(input.left_out, input.profiled));
  if (input.profiled && !input.report.profile_of_windows) {
    for (const RankTrace& rank : input.report.profile->ranks) {
      if (auto one = TogetherCaveat(rank)) caveats.push_back(*std::move(one));
    }
  }
  if (input.profiled) {
    for (const RankTrace& rank : input.report.profile->ranks) {
      if (auto one = OverlapCaveat(rank)) caveats.push_back(*std::move(one));
      if (auto one = NestedCaveat(rank)) caveats.push_back(*std::move(one));
      if (auto one = UnrecordedCaveat(input, rank)) caveats.push_back(*std::move(one));
    }
  }
  if (!MayUseDevice(input.facts)) return caveats;
  std::ranges::move(input.facts.gpus.Others(), std::back_inserter(caveats));
  std::ranges::move(input.facts.gpus.RanksTogether(), std::back_inserter(caveats));
  return caveats;
}

}  // namespace steptrace::analyze
