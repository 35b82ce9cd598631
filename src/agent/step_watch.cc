// SPDX-License-Identifier: Apache-2.0
#include "agent/step_watch.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "agent/finding_row.h"
#include "model/finding_kinds.h"

namespace steptrace::agent {

namespace finding = model::finding;

void StepWatch::Add(const store::StepRow& row, const store::StringTable& strings) {
  if (strings.Text(row.kind) != "train") return;
  if (!rank_ || row.rank < *rank_) {
    rank_ = row.rank;
    detector_ = {};
  }
  if (row.rank != *rank_) return;
  const int64_t dur_ns = row.dur_ns - row.evaluation_ns - row.checkpoint_ns;
  const auto shift = detector_.Add(row.step, row.ts_ns, dur_ns);
  if (!shift) return;
  // Over the recent best, and yet no longer than what all before it took: they got faster first.
  const bool tells = shift->back ? told_rise_ : shift->to_ns > shift->from_ns;
  if (!tells) return;
  told_rise_ = !shift->back;
  shifts_.push_back(*shift);
}

std::vector<store::FindingRow> StepWatch::Take(int64_t now_ns, store::StringTable& strings) {
  std::vector<store::FindingRow> findings;
  for (const StepShift& shift : std::exchange(shifts_, {})) {
    const auto from_ns = static_cast<int64_t>(shift.from_ns);
    const auto to_ns = static_cast<int64_t>(shift.to_ns);
    const model::Finding found =
        shift.back
            ? Make(finding::LiveStepTimeBack{.to = to_ns, .step = shift.step, .from = from_ns})
            : Make(finding::LiveStepTimeRisen{.to = to_ns,
                                              .step = shift.step,
                                              .from = from_ns,
                                              .more = shift.to_ns / shift.from_ns - 1});
    store::FindingRow row =
        MakeFindingRow(now_ns, shift.back ? "info" : "warning", "step time", found, strings);
    SetEvidence(found,
                {{"rank", rank_.value_or(0)},
                 {"step", shift.step},
                 {"since_ns", shift.ts_ns},
                 {"from_ns", from_ns},
                 {"to_ns", to_ns}},
                row);
    findings.push_back(std::move(row));
  }
  return findings;
}

}  // namespace steptrace::agent
