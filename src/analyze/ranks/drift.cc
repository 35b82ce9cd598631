// SPDX-License-Identifier: Apache-2.0
#include "analyze/ranks/drift.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

#include "analyze/ranks/matched_collectives.h"
#include "analyze/ranks/rank_clocks.h"

namespace steptrace::analyze {
namespace {

constexpr int64_t kBillion = 1'000'000'000;
constexpr size_t kFewestSamples = 16;
// All pairs of so many are compared; more tell nothing new.
constexpr size_t kMostSamples = 400;
// Ends of one collective scatter by so much on a good network: less over a profile is no news.
constexpr int64_t kDriftNoNewsNs = 5'000;
// What a drift explains, over what it leaves. Scatter alone reaches 1.3 of 16 samples.
constexpr int64_t kOverScatter = 8;
// A crystal is off by 100 ppm at worst; five times as much is another cause.
constexpr int64_t kMostDriftPpb = 500'000;

template <class Number>
Number MedianOf(std::vector<Number> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Median distance from the median.
int64_t Scatter(const std::vector<int64_t>& values) {
  const int64_t median = MedianOf(values);
  std::vector<int64_t> distances;
  for (int64_t value : values) distances.push_back(std::abs(value - median));
  return MedianOf(std::move(distances));
}

std::vector<ClockSample> Thinned(std::vector<ClockSample> samples) {
  std::sort(samples.begin(), samples.end(),
            [](const ClockSample& a, const ClockSample& b) { return a.at_ns < b.at_ns; });
  if (samples.size() <= kMostSamples) return samples;
  std::vector<ClockSample> some;
  for (size_t i = 0; i < kMostSamples; ++i) {
    some.push_back(samples[i * (samples.size() - 1) / (kMostSamples - 1)]);
  }
  return some;
}

using Link = std::pair<int32_t, int32_t>;  // nodes, the lower first

// What the second node's clock is ahead of the first's, at each collective that both took part in.
std::map<Link, std::vector<ClockSample>> SamplesOf(const Trace& trace, const Collectives& calls,
                                                   const Matches& matches) {
  std::map<Link, std::vector<ClockSample>> links;
  for (const MatchedCollective& collective : matches.collectives) {
    if (!EndsTogether(calls.info(collective.members[0]).name)) continue;
    std::map<int32_t, std::vector<int64_t>> ends;
    for (const CollectiveCall& call : collective.members) {
      ends[trace.ranks[static_cast<size_t>(call.rank)].node].push_back(call.end_ns);
    }
    const auto& [first, first_ends] = *ends.begin();
    const int64_t at_ns = MedianOf(first_ends);
    for (const auto& [node, node_ends] : ends) {
      if (node != first) links[{first, node}].push_back({at_ns, MedianOf(node_ends) - at_ns});
    }
  }
  return links;
}

// Drift of each node against the first, over the links with most samples. No link: none.
std::map<int32_t, int64_t> DriftsOf(const Trace& trace,
                                    const std::map<Link, std::vector<ClockSample>>& links) {
  std::set<int32_t> nodes;
  for (const RankTrace& rank : trace.ranks) nodes.insert(rank.node);
  std::map<int32_t, int64_t> drifts;
  while (drifts.size() < nodes.size()) {
    const std::pair<const Link, std::vector<ClockSample>>* best = nullptr;
    for (const auto& link : links) {
      if (drifts.contains(link.first.first) == drifts.contains(link.first.second)) continue;
      if (best == nullptr || link.second.size() > best->second.size()) best = &link;
    }
    if (best == nullptr) {
      for (int32_t node : nodes) {
        if (drifts.try_emplace(node, 0).second) break;
      }
      continue;
    }
    const DriftFit fit = FitDrift(best->second);
    const int64_t ppb = fit.is_drift ? fit.drift_ppb : 0;
    const auto [first, second] = best->first;
    if (drifts.contains(first)) {
      drifts[second] = drifts[first] + ppb;
    } else {
      drifts[first] = drifts[second] - ppb;
    }
  }
  return drifts;
}

int64_t FirstMoment(const Trace& trace) {
  int64_t first = INT64_MAX;
  for (const RankTrace& rank : trace.ranks) {
    for (const auto* events : {&rank.host, &rank.device}) {
      for (const TraceEvent& event : *events) first = std::min(first, event.ts_ns);
    }
  }
  return first;
}

void Move(RankTrace& rank, int64_t ppb, int64_t from_ns) {
  for (auto* events : {&rank.host, &rank.device}) {
    for (TraceEvent& event : *events) event.ts_ns = WithoutDrift(event.ts_ns, ppb, from_ns);
  }
  for (TraceStep& step : rank.steps) {
    const int64_t end = WithoutDrift(step.end_ns(), ppb, from_ns);
    step.ts_ns = WithoutDrift(step.ts_ns, ppb, from_ns);
    step.dur_ns = end - step.ts_ns;
  }
}

}  // namespace

DriftFit FitDrift(std::vector<ClockSample> samples) {
  DriftFit fit;
  if (samples.size() < kFewestSamples) return fit;
  samples = Thinned(std::move(samples));
  const int64_t window = samples.back().at_ns - samples.front().at_ns;
  std::vector<double> slopes;
  for (size_t i = 0; i < samples.size(); ++i) {
    for (size_t j = i + 1; j < samples.size(); ++j) {
      const int64_t apart = samples[j].at_ns - samples[i].at_ns;
      if (apart <= 0 || apart < window / 4) continue;  // near ones show their scatter alone
      slopes.push_back(static_cast<double>(samples[j].ahead_ns - samples[i].ahead_ns) /
                       static_cast<double>(apart));
    }
  }
  if (slopes.empty()) return fit;
  const double ppb = MedianOf(std::move(slopes)) * static_cast<double>(kBillion);
  if (!(std::abs(ppb) <= static_cast<double>(kMostDriftPpb))) return fit;
  fit.drift_ppb = std::llround(ppb);
  std::vector<int64_t> steady, drifting;
  for (const ClockSample& sample : samples) {
    const int64_t grown =
        sample.at_ns - WithoutDrift(sample.at_ns, fit.drift_ppb, samples[0].at_ns);
    steady.push_back(sample.ahead_ns);
    drifting.push_back(sample.ahead_ns - grown);
  }
  fit.steady_left_ns = Scatter(steady);
  fit.drifting_left_ns = Scatter(drifting);
  const auto explained =
      static_cast<int64_t>(static_cast<__int128>(std::abs(fit.drift_ppb)) * window / kBillion);
  fit.is_drift = explained > kDriftNoNewsNs && explained > kOverScatter * fit.drifting_left_ns;
  return fit;
}

int64_t WithoutDrift(int64_t ns, int64_t drift_ppb, int64_t from_ns) {
  // Rounded down, so that what comes first stays first.
  const __int128 since = static_cast<__int128>(ns) - from_ns;
  const __int128 whole = since * (kBillion - drift_ppb);
  const __int128 left = whole >= 0 ? whole / kBillion : -((-whole + kBillion - 1) / kBillion);
  return static_cast<int64_t>(from_ns + left);
}

std::optional<Undrifted> RemoveDrift(const Trace& trace) {
  const auto on_first = [&](const RankTrace& rank) { return rank.node == trace.ranks[0].node; };
  if (std::all_of(trace.ranks.begin(), trace.ranks.end(), on_first)) return std::nullopt;
  const Collectives calls = ReadCollectives(trace);
  Matches matches = MatchCollectives(calls, {});
  const RankClocks clocks = AlignClocks(trace, calls, matches);
  if (clocks.corrected) matches = MatchCollectives(calls, clocks.offset_ns);
  Undrifted undrifted;
  undrifted.drift_ppb = DriftsOf(trace, SamplesOf(trace, calls, matches));
  const auto is_steady = [](const auto& drift) { return drift.second == 0; };
  if (std::all_of(undrifted.drift_ppb.begin(), undrifted.drift_ppb.end(), is_steady)) {
    return std::nullopt;
  }
  undrifted.trace = trace;
  const int64_t from_ns = FirstMoment(trace);
  for (RankTrace& rank : undrifted.trace.ranks) {
    const int64_t ppb = undrifted.drift_ppb[rank.node];
    if (ppb != 0) Move(rank, ppb, from_ns);
  }
  return undrifted;
}

}  // namespace steptrace::analyze
