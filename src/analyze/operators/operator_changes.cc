// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/operator_changes.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>
#include <utility>

namespace steptrace::analyze {
namespace {

bool OnDevice(const OperatorsInSteps& run) {
  return std::ranges::any_of(run.by_name, [](const auto& one) { return one.second.device_ns > 0; });
}

std::optional<int64_t> PerStepOf(const OperatorsInSteps& run, const std::string& name,
                                 bool device) {
  const auto found = run.by_name.find(name);
  if (found == run.by_name.end()) return std::nullopt;
  const int64_t ns = device ? found->second.device_ns : found->second.host_ns;
  return ns > 0 ? run.steps.PerStep(ns) : std::nullopt;
}

}  // namespace

OperatorsInSteps OperatorsInStepsOf(const OperatorsSection& section) {
  OperatorsInSteps run;
  for (const OperatorTotals& totals : section.totals) run.steps += totals.steps;
  for (const OperatorRow& row : section.rows) {
    OperatorsInSteps::Times& times = run.by_name[row.name];
    times.host_ns += row.sums.host_self_in_steps_ns;
    times.device_ns += row.sums.device_self_in_steps_ns;
  }
  return run;
}

std::optional<OperatorChanges> CompareOperators(const OperatorsInSteps& a,
                                                const OperatorsInSteps& b) {
  for (const OperatorsInSteps* run : {&a, &b}) {
    if (run->steps.steps <= 0 || run->by_name.empty()) return std::nullopt;
  }
  OperatorChanges changes;
  changes.device = OnDevice(a) && OnDevice(b);
  changes.a_steps = a.steps.steps;
  changes.b_steps = b.steps.steps;
  std::set<std::string> names;
  for (const OperatorsInSteps* run : {&a, &b}) {
    for (const auto& [name, times] : run->by_name) names.insert(name);
  }
  for (const std::string& name : names) {
    OperatorChange change;
    change.name = name;
    change.a_ns = PerStepOf(a, name, changes.device);
    change.b_ns = PerStepOf(b, name, changes.device);
    if (!change.a_ns && !change.b_ns) continue;
    change.change_ns = change.b_ns.value_or(0) - change.a_ns.value_or(0);
    changes.rows.push_back(std::move(change));
  }
  std::ranges::stable_sort(changes.rows, std::ranges::greater(),
                           [](const OperatorChange& one) { return std::abs(one.change_ns); });
  if (changes.rows.size() > kMostOperatorChanges) {
    changes.left_out = static_cast<int64_t>(changes.rows.size() - kMostOperatorChanges);
    changes.rows.resize(kMostOperatorChanges);
  }
  return changes;
}

}  // namespace steptrace::analyze
