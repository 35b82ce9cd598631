// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/unrecognised.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "analyze/trace/host_activity.h"
#include "analyze/trace/intervals.h"
#include "base/saturating.h"

namespace steptrace::analyze {
namespace {

bool IsUnspecific(const TraceEvent& event, const Trace& profile) {
  // Whatever its category, its name may tell.
  return event.kind == EventKind::kUnrecognised &&
         DoingOf(event.kind, profile.Text(event.name)) == HostActivityKind::kBetween;
}

// The steps' time, or all of a rank that marks none.
Intervals TimeOfSteps(const RankTrace& rank) {
  std::vector<TimeRange> steps;
  for (const TraceStep& step : rank.steps) steps.push_back({step.ts_ns, step.end_ns()});
  if (!steps.empty()) return Union(std::move(steps));
  std::vector<TimeRange> all;
  for (const auto* events : {&rank.host, &rank.device}) {
    for (const TraceEvent& event : *events) {
      if (all.empty()) all.push_back({event.ts_ns, event.end_ns()});
      all[0].begin_ns = std::min(all[0].begin_ns, event.ts_ns);
      all[0].end_ns = std::max(all[0].end_ns, event.end_ns());
    }
  }
  return Union(std::move(all));
}

Intervals KnownWork(const RankTrace& rank) {
  std::vector<TimeRange> work;
  for (const TraceEvent& event : rank.device) {
    if (IsDeviceWork(event)) work.push_back({event.ts_ns, event.end_ns()});
  }
  return Union(std::move(work));
}

void AddTimes(const RankTrace& rank, const Trace& profile, Unrecognised& found) {
  std::vector<TimeRange> unknown;
  for (const TraceEvent& event : rank.host) {
    if (IsUnspecific(event, profile)) unknown.push_back({event.ts_ns, event.end_ns()});
  }
  const Intervals steps = TimeOfSteps(rank);
  AddSaturating(found.steps_ns, Length(steps));
  if (unknown.empty()) return;
  AddSaturating(found.held_ns,
                Overlap(Difference(Union(std::move(unknown)), KnownWork(rank)), steps));
}

}  // namespace

Unrecognised FindUnrecognised(const Trace& profile) {
  Unrecognised found;
  std::map<std::string, int64_t> by_category;
  for (const RankTrace& rank : profile.ranks) {
    for (const auto& [category, rows] : rank.rows_by_category) {
      const std::string& name = profile.Text(category);
      if (KindOf(name, "") == EventKind::kUnrecognised) by_category[name] += rows;
    }
  }
  if (by_category.empty()) return found;
  for (auto& [category, events] : by_category) {
    found.events += events;
    found.kinds.push_back({category, events});
  }
  std::ranges::stable_sort(found.kinds, std::greater<>(), &UnrecognisedKind::events);
  if (found.kinds.size() > kMostUnrecognisedKinds) {
    found.more_kinds = static_cast<int64_t>(found.kinds.size() - kMostUnrecognisedKinds);
    found.kinds.resize(kMostUnrecognisedKinds);
  }
  for (const RankTrace& rank : profile.ranks) AddTimes(rank, profile, found);
  return found;
}

}  // namespace steptrace::analyze
