// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/run_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "analyze/input/lost_steps.h"
#include "analyze/input/step_selection.h"
#include "base/time.h"
#include "store/manifest.h"

namespace steptrace::analyze {

std::string StartedUtc(const RunInfo& run) {
  const int64_t utc_ns = run.epoch_utc_ns;
  if (utc_ns <= 0) return "";
  const auto seconds = static_cast<time_t>(utc_ns / kNsPerSecond);
  tm date{};
  if (gmtime_r(&seconds, &date) == nullptr) return "";
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", date.tm_year + 1900,
                     date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec,
                     utc_ns % kNsPerSecond / kNsPerMs);
}

PhasesSection MakePhases(const ReportInput& input) {
  PhasesSection phases;
  std::optional<int64_t> begin, end;
  const StepKinds kinds(*input.strings);
  for (const store::StepRow& row : input.steps) {
    if (!kinds.IsOfTraining(row)) continue;
    const int64_t ts_ns = row.ts_ns, end_ns = ts_ns + row.dur_ns;
    begin = std::min(begin.value_or(ts_ns), ts_ns);
    end = std::max(end.value_or(ts_ns), end_ns);
  }
  if (!begin) return phases;
  phases.training_ns = *end - *begin;
  // What came before a part of the run, and after it, may be training as well.
  if (input.options.of_time_range) return phases;
  phases.initialization_ns = std::max<int64_t>(*begin, 0);
  phases.finalization_unknown = WhyStepsMayFollow(input, *end);
  if (input.run.status != store::kStatusInProgress && !phases.finalization_unknown) {
    phases.finalization_ns = std::max<int64_t>(input.run.duration_ns - *end, 0);
  }
  return phases;
}

}  // namespace steptrace::analyze
