// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/lost_steps.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "analyze/trace/lost_stretches.h"
#include "analyze/verdict/step_times.h"
#include "model/finding_kinds.h"
#include "store/loss_causes.h"
#include "store/metadata_keys.h"

namespace steptrace::analyze {

namespace {

int64_t EndOf(const store::StepRow& row) {
  return row.ts_ns + row.dur_ns;
}

// Whether a step so far from a lost stretch may be the next to it: the run may have others between,
// and these rows only some of it.
bool IsNext(int64_t gap_ns, const store::StepRow& row) {
  return gap_ns <= row.dur_ns;
}

}  // namespace

int64_t LeaveOutLost(const ReportInput& input, ProfiledSteps& profiled) {
  const size_t all = profiled.size();
  const std::vector<LostStretch> lost = LostStretches(input.losses, *input.strings);
  if (lost.empty()) return 0;
  std::map<int32_t, std::vector<store::StepRow>> by_rank;
  for (const store::StepRow& row : input.steps) {
    if (IsPlausible(row)) by_rank[row.rank].push_back(row);
  }
  for (auto& [rank, rows] : by_rank) {
    std::ranges::sort(rows, {}, &store::StepRow::ts_ns);
    for (const LostStretch& stretch : lost) {
      if (stretch.rank != rank) continue;
      const auto before = [&](const auto& row) {
        return EndOf(row) <= stretch.from_ns && row.ts_ns != stretch.from_ns;
      };
      auto first = std::ranges::partition_point(rows, before);
      auto end = std::ranges::partition_point(
          rows, [&](const auto& row) { return row.ts_ns <= stretch.to_ns; });
      if (first != rows.begin() && IsNext(stretch.from_ns - EndOf(first[-1]), first[-1])) --first;
      if (end != rows.end() && IsNext(end->ts_ns - stretch.to_ns, *end)) ++end;
      for (; first < end; ++first) profiled.erase({rank, first->ts_ns});
    }
  }
  return static_cast<int64_t>(all - profiled.size());
}

int64_t RecordedBeside(const ReportInput& input, const std::set<int32_t>& with_steps) {
  std::set<int32_t> beside;
  for (const store::FactRow& row : input.facts) {
    const bool told = row.rank >= 0 && input.strings->Text(row.kind) == store::MetadataKind::kJob;
    if (told && !with_steps.contains(row.rank)) beside.insert(row.rank);
  }
  return static_cast<int64_t>(beside.size());
}

namespace {

// Of the process that trains, or of nobody in particular.
bool IsOfTraining(const ReportInput& input, const store::LossRow& loss) {
  const auto& ranks = input.run.rank_processes;
  return !loss.pid || ranks.empty() ||
         std::any_of(ranks.begin(), ranks.end(), [&](const RankProcess& rank) {
           return rank.pid == *loss.pid && rank.node == loss.node;
         });
}

bool TakesSteps(const ReportInput& input, const store::LossRow& loss) {
  const std::string& cause = input.strings->Text(loss.cause);
  // Records of which steps are made, and steps that were made.
  if (cause == store::LossCause::kRingFull || cause == store::LossCause::kDisarmed ||
      cause == store::LossCause::kUnseenProcess || cause == store::LossCause::kScriptProfiler) {
    return IsOfTraining(input, loss);
  }
  return input.strings->Text(loss.table) == "steps" &&
         (cause == store::LossCause::kDiskRefused || cause == store::LossCause::kJournalCutOff ||
          cause == store::LossCause::kJournalDamaged || cause == store::LossCause::kSegmentDamaged);
}

}  // namespace

std::optional<model::Finding> WhyStepsMayFollow(const ReportInput& input, int64_t moment_ns) {
  std::optional<model::Finding> why;
  for (const store::LossRow& loss : input.losses) {
    if (loss.to_ns.value_or(INT64_MAX) <= moment_ns) continue;
    const std::string& cause = input.strings->Text(loss.cause);
    if (cause == store::LossCause::kAgentGap) return Make(model::finding::NoteAgentEndedFirst{});
    if (why || !TakesSteps(input, loss)) continue;
    why = Make(model::finding::NoteLostAfterLastStep{.cause = cause});
  }
  return why;
}

bool LostWrittenSteps(const ReportInput& input) {
  return std::any_of(input.losses.begin(), input.losses.end(), [&](const store::LossRow& loss) {
    const std::string& cause = input.strings->Text(loss.cause);
    return input.strings->Text(loss.table) == "steps" &&
           (cause == store::LossCause::kSegmentDamaged || cause == store::LossCause::kDiskRefused);
  });
}

}  // namespace steptrace::analyze
