// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/busiest_functions.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/saturating.h"

namespace steptrace::analyze {

bool ShowsTraining(const Trace& trace) {
  const auto of_framework = [](const TraceEvent& event) {
    const bool of_others =
        event.kind == EventKind::kOtherHost || event.kind == EventKind::kUnrecognised;
    return !of_others || event.in_collective;
  };
  return std::ranges::any_of(trace.ranks, [&](const RankTrace& rank) {
    return !rank.steps.empty() || !rank.device.empty() ||
           std::ranges::any_of(rank.host, of_framework);
  });
}

std::vector<BusyFunction> BusiestFunctions(const Trace& trace, size_t most) {
  std::unordered_map<store::StringId, BusyFunction> by_name;
  int64_t whole_ns = 0;
  for (const RankTrace& rank : trace.ranks) {
    std::vector<int64_t> within_ns(rank.host.size(), 0);  // of what runs within each
    for (const TraceEvent& event : rank.host) {
      if (event.parent != kNone)
        AddSaturating(within_ns[static_cast<size_t>(event.parent)], event.dur_ns);
    }
    for (size_t i = 0; i < rank.host.size(); ++i) {
      const TraceEvent& event = rank.host[i];
      // Of ranges that overlap, as asynchronous ones do, more may lie within one than it lasts.
      const int64_t self_ns = std::max<int64_t>(event.dur_ns - within_ns[i], 0);
      BusyFunction& one = by_name[event.name];
      one.name = event.name;
      AddSaturating(one.self_ns, self_ns);
      ++one.calls;
      AddSaturating(whole_ns, self_ns);
    }
  }
  std::vector<BusyFunction> functions;
  for (auto& [name, one] : by_name) {
    if (one.self_ns <= 0) continue;
    one.share = static_cast<double>(one.self_ns) / static_cast<double>(whole_ns);
    functions.push_back(one);
  }
  const auto busier = [&trace](const BusyFunction& a, const BusyFunction& b) {
    if (a.self_ns != b.self_ns) return a.self_ns > b.self_ns;
    return trace.Text(a.name) < trace.Text(b.name);
  };
  const auto end = functions.begin() + static_cast<ptrdiff_t>(std::min(most, functions.size()));
  std::partial_sort(functions.begin(), end, functions.end(), busier);
  functions.erase(end, functions.end());
  return functions;
}

}  // namespace steptrace::analyze
