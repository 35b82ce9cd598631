// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/losses.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "analyze/input/lost_steps.h"
#include "analyze/input/step_selection.h"
#include "analyze/json/stored_finding.h"
#include "base/saturating.h"
#include "model/finding_kinds.h"
#include "store/all_tables.h"
#include "store/loss_causes.h"

namespace steptrace::analyze {
namespace {

// What a machine does not have is no loss; the agent says it in the same table.
constexpr auto kUnavailable = store::LossCause::kUnavailable;

// The agent tells of a loss as it grows: one line sums what is said in the same words.
std::vector<LossLine> MergedLosses(const ReportInput& input) {
  std::vector<LossLine> losses;
  std::map<std::tuple<std::string, std::string, std::string>, size_t> index;
  for (const store::DataLossRow& row : input.losses) {
    const std::string table = store::TableName(input.strings->Text(row.table));
    const std::string& cause = input.strings->Text(row.cause);
    if (cause == kUnavailable) continue;  // was never there: a note
    const auto [at, is_new] = index.emplace(std::tuple(table, cause, row.detail), losses.size());
    if (is_new) {
      losses.push_back(
          {table, cause, row.count, row.from_ns, row.to_ns, row.detail, ReadFinding(row.evidence)});
      continue;
    }
    LossLine& line = losses[at->second];
    line.count = line.count < 0 || row.count < 0 ? -1 : SaturatingAdd(line.count, row.count);
    if (row.from_ns) line.from_ns = std::min(line.from_ns.value_or(*row.from_ns), *row.from_ns);
    if (row.to_ns) line.to_ns = std::max(line.to_ns.value_or(*row.to_ns), *row.to_ns);
  }
  return losses;
}

LossLine UnrecognisedLoss(const Unrecognised& found) {
  constexpr size_t kMostNamed = 4;
  std::vector<model::finding::LossUnrecognisedEvent::Item> named;
  for (const UnrecognisedKind& kind : found.kinds) {
    if (named.size() == kMostNamed) break;
    named.push_back(
        {.events = kind.events, .category = kind.category.empty() ? "(none)" : kind.category});
  }
  const auto more = static_cast<int64_t>(found.kinds.size() - named.size()) + found.more_kinds;
  return {.table = "slices",
          .cause = std::string(NameOf(store::LossCause::kUnrecognisedEvent)),
          .count = found.events,
          .said = Make(model::finding::LossUnrecognisedEvent{
              .more = more > 0 ? std::optional(more) : std::nullopt,
              .share = found.held_ns > 0 ? std::optional(found.share()) : std::nullopt,
              .items = std::move(named)})};
}

}  // namespace

LossWords WordsOf(const LossLine& loss) {
  const store::LossCauseInfo* info = store::FindLossCause(loss.cause);
  if (info == nullptr) return {.label = "Lost"};
  return {info->label, info->counts_itself, info->one, info->many, info->is_damage};
}

std::vector<LossLine> MakeLosses(const ReportInput& input, const StepSelection& selection,
                                 const JobFacts& facts) {
  std::vector<LossLine> losses = MergedLosses(input);
  if (selection.rejected > 0) {
    losses.push_back({.table = "steps",
                      .cause = std::string(NameOf(store::LossCause::kImpossibleTimes)),
                      .count = selection.rejected,
                      .said = Make(model::finding::LossImpossibleTimes{})});
  }
  const std::set<int32_t> ranks = RanksWithSteps(input);
  int64_t missing = facts.world_size - static_cast<int64_t>(ranks.size());
  // Those that were there made steps: the loss of these says why they are not.
  if (LostWrittenSteps(input)) missing -= RanksWithoutSteps(input, ranks);
  if (facts.world_size > 1 && selection.count > 0 && missing > 0) {
    losses.push_back({.table = "steps",
                      .cause = std::string(NameOf(store::LossCause::kRanksMissing)),
                      .count = missing,
                      .said = Make(model::finding::LossRanksMissing{
                          .missing = missing,
                          .ranks = facts.world_size,
                          .imported = static_cast<bool>(input.profile),
                          .recorded = RanksWithoutSteps(input, ranks) >= missing})});
  }
  if (input.unrecognised.events > 0) losses.push_back(UnrecognisedLoss(input.unrecognised));
  std::set<std::string> hooks;
  for (const HookFailure& failure : facts.hook_failures) {
    if (!hooks.insert(failure.hook).second) continue;
    losses.push_back({.table = "slices",
                      .cause = std::string(NameOf(store::LossCause::kHookFailed)),
                      .count = -1,
                      .said = Make(model::finding::LossHookFailed{.hook = failure.hook,
                                                                  .reason = failure.reason})});
  }
  return losses;
}

}  // namespace steptrace::analyze
