// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/user_ranges.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyze/stats/distribution.h"

namespace steptrace::analyze {

namespace {

using Times = std::unordered_map<store::StringId, int64_t>;
// What tells a step apart: its begin and its rank.
using StepKeys = std::vector<std::pair<int64_t, int32_t>>;

void Add(Times& times, store::StringId name, int64_t ns) {
  int64_t& sum = times[name];
  sum = SaturatingAdd(sum, std::max<int64_t>(ns, 0));
}

Times LongestOfEachStep(const ReportInput& input, const StepSelection& selection) {
  Times times;
  for (const uint32_t at : selection.steady) {
    const store::StepRow row = input.steps[at];
    Add(times, row.longest_user_range, row.longest_user_range_ns);
  }
  return times;
}

StepKeys KeysOf(const ReportInput& input, const StepSelection& selection) {
  StepKeys keys;
  keys.reserve(selection.steady.size());
  for (const uint32_t at : selection.steady) {
    const store::StepRow row = input.steps[at];
    keys.emplace_back(row.ts_ns, row.rank);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

Times OfStages(const ReportInput& input, const StepSelection& selection) {
  const StepKeys keys = KeysOf(input, selection);
  Times times;
  for (const store::StepStageRow row : input.step_stages) {
    if (std::binary_search(keys.begin(), keys.end(), std::pair(row.ts_ns, row.rank))) {
      Add(times, row.stage, row.dur_ns);
    }
  }
  return times;
}

}  // namespace

UserRange LargestUserRange(const ReportInput& input, const StepSelection& selection) {
  const Times times =
      input.step_stages.empty() ? LongestOfEachStep(input, selection) : OfStages(input, selection);
  UserRange largest;
  for (const auto& [name, ns] : times) {
    std::string text(input.strings->Text(name));
    if (ns > largest.ns || (ns == largest.ns && ns > 0 && text < largest.name)) {
      largest = {std::move(text), ns};
    }
  }
  return largest;
}

}  // namespace steptrace::analyze
