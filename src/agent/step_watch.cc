// SPDX-License-Identifier: Apache-2.0
#include "agent/step_watch.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "analyze/report/quantity.h"

namespace steptrace::agent {

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
    const std::string from = analyze::FormatDuration(static_cast<int64_t>(shift.from_ns));
    const std::string to = analyze::FormatDuration(static_cast<int64_t>(shift.to_ns));
    store::FindingRow row;
    row.ts_ns = now_ns;
    row.severity = strings.Intern(shift.back ? "info" : "warning");
    row.kind = strings.Intern("alert");
    row.subject = "step time";
    row.text =
        shift.back
            ? fmt::format("steps take {} again since step {} (it was {})", to, shift.step, from)
            : fmt::format("steps take {} since step {}, {} before (+{})", to, shift.step, from,
                          analyze::FormatShare(shift.to_ns / shift.from_ns - 1));
    row.evidence = nlohmann::json{{"rank", rank_.value_or(0)},
                                  {"step", shift.step},
                                  {"since_ns", shift.ts_ns},
                                  {"from_ns", static_cast<int64_t>(shift.from_ns)},
                                  {"to_ns", static_cast<int64_t>(shift.to_ns)}}
                       .dump();
    findings.push_back(std::move(row));
  }
  return findings;
}

}  // namespace steptrace::agent
