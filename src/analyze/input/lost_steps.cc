// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/lost_steps.h"

#include <algorithm>
#include <optional>

#include "model/finding_kinds.h"
#include "store/loss_causes.h"
#include "store/metadata_keys.h"

namespace steptrace::analyze {

std::set<int32_t> RanksWithSteps(const ReportInput& input) {
  std::set<int32_t> ranks;
  std::optional<int32_t> before;  // mostly the same again
  for (const store::StepRow& row : input.steps) {
    const int32_t rank = row.rank;
    if (before != rank) ranks.insert(rank);
    before = rank;
  }
  return ranks;
}

int64_t RanksWithoutSteps(const ReportInput& input, const std::set<int32_t>& with_steps) {
  std::set<int32_t> beside;
  for (const store::RunMetadataRow& row : input.facts) {
    const bool reported =
        row.rank >= 0 && input.strings->Text(row.kind) == store::MetadataKind::kJob;
    if (reported && !with_steps.contains(row.rank)) beside.insert(row.rank);
  }
  return static_cast<int64_t>(beside.size());
}

namespace {

// Of the process that trains, or of nobody in particular.
bool IsOfTrainer(const ReportInput& input, const store::DataLossRow& loss) {
  const auto& ranks = input.run.rank_processes;
  return !loss.pid || ranks.empty() ||
         std::any_of(ranks.begin(), ranks.end(), [&](const RankProcess& rank) {
           return rank.pid == *loss.pid && rank.node == loss.node;
         });
}

bool TakesSteps(const ReportInput& input, const store::DataLossRow& loss) {
  const std::string& cause = input.strings->Text(loss.cause);
  // Records of which steps are made, and steps that were made.
  if (cause == store::LossCause::kRingFull || cause == store::LossCause::kDisarmed ||
      cause == store::LossCause::kUnseenProcess || cause == store::LossCause::kScriptProfiler) {
    return IsOfTrainer(input, loss);
  }
  return input.strings->Text(loss.table) == store::TableOf<store::StepRow>::kName &&
         (cause == store::LossCause::kDiskRefused || cause == store::LossCause::kJournalCutOff ||
          cause == store::LossCause::kJournalDamaged || cause == store::LossCause::kSegmentDamaged);
}

}  // namespace

std::optional<model::Finding> WhyStepsMayFollow(const ReportInput& input, int64_t moment_ns) {
  std::optional<model::Finding> why;
  for (const store::DataLossRow& loss : input.losses) {
    if (loss.to_ns.value_or(INT64_MAX) <= moment_ns) continue;
    const std::string& cause = input.strings->Text(loss.cause);
    if (cause == store::LossCause::kAgentGap) return Make(model::finding::NoteAgentEndedFirst{});
    if (why || !TakesSteps(input, loss)) continue;
    why = Make(model::finding::NoteLostAfterLastStep{.cause = cause});
  }
  return why;
}

bool LostWrittenSteps(const ReportInput& input) {
  return std::any_of(input.losses.begin(), input.losses.end(), [&](const store::DataLossRow& loss) {
    const std::string& cause = input.strings->Text(loss.cause);
    return input.strings->Text(loss.table) == store::TableOf<store::StepRow>::kName &&
           (cause == store::LossCause::kSegmentDamaged || cause == store::LossCause::kDiskRefused);
  });
}

}  // namespace steptrace::analyze
