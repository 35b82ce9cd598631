// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/step_watch.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "agent/rows/finding_row.h"
#include "model/finding_kinds.h"
#include "store/stored_words.h"

namespace steptrace::agent {

namespace finding = model::finding;

void StepWatch::OnStep(const store::StepRow& row, std::string_view kind) {
  if (store::StepKindOf(kind) != store::StepKind::kTrain) return;
  if (!rank_ || row.rank < *rank_) {
    rank_ = row.rank;
    detector_ = ShiftDetector(rise_);
  }
  if (row.rank != *rank_) return;
  const int64_t dur_ns = row.dur_ns - row.evaluation_ns - row.checkpoint_ns;
  const auto shift = detector_.Add(row.step, row.ts_ns, dur_ns);
  if (!shift) return;
  // Over the recent best, and yet no longer than what all before it took: they got faster first.
  const bool tells = shift->back ? reported_rise_ : shift->to_ns > shift->from_ns;
  if (!tells) return;
  reported_rise_ = !shift->back;
  shifts_.push_back(*shift);
}

Alert StepWatch::MakeAlert(const StepShift& shift) const {
  const auto from_ns = static_cast<int64_t>(shift.from_ns);
  const auto to_ns = static_cast<int64_t>(shift.to_ns);
  model::Finding found =
      shift.back ? Make(finding::LiveStepTimeBack{.to = to_ns, .step = shift.step, .from = from_ns})
                 : Make(finding::LiveStepTimeRisen{.to = to_ns,
                                                   .step = shift.step,
                                                   .from = from_ns,
                                                   .more = shift.to_ns / shift.from_ns - 1});
  std::string evidence = EvidenceText(found, {{"rank", rank_.value_or(0)},
                                              {"step", shift.step},
                                              {"since_ns", shift.ts_ns},
                                              {"from_ns", from_ns},
                                              {"to_ns", to_ns}});
  return {.found = std::move(found),
          .severity = shift.back ? store::Severity::kInfo : store::Severity::kWarning,
          .subject = "step time",
          .evidence = std::move(evidence),
          .suggests = "shift"};
}

std::vector<Alert> StepWatch::Check(Moment moment, int64_t, const Job&) {
  std::vector<Alert> alerts;
  if (moment != Moment::kSettled) return alerts;
  for (const StepShift& shift : std::exchange(shifts_, {})) alerts.push_back(MakeAlert(shift));
  return alerts;
}

}  // namespace steptrace::agent
