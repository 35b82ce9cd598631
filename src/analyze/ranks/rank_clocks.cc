// SPDX-License-Identifier: Apache-2.0
#include "analyze/ranks/rank_clocks.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

namespace steptrace::analyze {
namespace {

// Clocks of a node that is set by PTP or NTP over a good network differ by less; ends of one
// collective scatter by as much.
constexpr int64_t kOffsetNoNewsNs = 50'000;

int64_t Median(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

int64_t CountImpossible(const Matches& matches, const std::vector<int64_t>& offset_ns) {
  int64_t impossible = 0;
  for (const MatchedCollective& collective : matches.collectives) {
    int64_t first_end = INT64_MAX;
    for (const auto& call : collective.members) {
      first_end = std::min(first_end, call.end_ns - offset_ns[static_cast<size_t>(call.rank)]);
    }
    for (const auto& call : collective.members) {
      if (call.begin_ns - offset_ns[static_cast<size_t>(call.rank)] > first_end) ++impossible;
    }
  }
  return impossible;
}

class Aligner {
 public:
  Aligner(const Trace& trace, const Collectives& calls, const Matches& matches)
      : trace_(trace), calls_(calls), matches_(matches) {
    std::set<int32_t> nodes;
    for (const auto& rank : trace.ranks) nodes.insert(rank.node);
    by_node_ = nodes.size() > 1;
    zeros_.assign(trace.ranks.size(), 0);
  }

  RankClocks Align(NodeClock node) {
    RankClocks clocks;
    clocks.offset_ns = zeros_;
    clocks.impossible_before = CountImpossible(matches_, zeros_);
    clocks.impossible_after = clocks.impossible_before;
    const bool one_clock = node == NodeClock::kShared || clocks.impossible_before == 0;
    if (!by_node_ && one_clock) return clocks;
    CollectPairs();
    Spread();
    Fill(clocks);
    return clocks;
  }

 private:
  int32_t UnitOf(int32_t rank) const {
    const RankTrace& trace = trace_.ranks[static_cast<size_t>(rank)];
    return by_node_ ? trace.node : trace.rank;
  }

  // Differences of ends between a unit and the first unit of each collective that they share.
  void CollectPairs() {
    bool any_together = false;
    for (const auto& collective : matches_.collectives) {
      any_together = any_together || EndsTogether(calls_.info(collective.members[0]).name);
    }
    for (const auto& collective : matches_.collectives) {
      if (any_together && !EndsTogether(calls_.info(collective.members[0]).name)) continue;
      std::map<int32_t, std::vector<int64_t>> ends;
      for (const auto& call : collective.members) ends[UnitOf(call.rank)].push_back(call.end_ns);
      const int32_t first = ends.begin()->first;
      const int64_t first_end = Median(ends.begin()->second);
      for (auto& [unit, unit_ends] : ends) {
        if (unit != first) pairs_[{first, unit}].push_back(Median(unit_ends) - first_end);
      }
    }
  }

  // From the lowest unit outward, always over the link with most pairs (Prim).
  void Spread() {
    std::set<int32_t> units;
    for (size_t r = 0; r < trace_.ranks.size(); ++r) units.insert(UnitOf(static_cast<int32_t>(r)));
    while (offsets_.size() < units.size()) {
      const std::pair<const std::pair<int32_t, int32_t>, std::vector<int64_t>>* best = nullptr;
      for (const auto& link : pairs_) {
        if (offsets_.contains(link.first.first) == offsets_.contains(link.first.second)) continue;
        if (best == nullptr || link.second.size() > best->second.size()) best = &link;
      }
      if (best == nullptr) {
        // Nothing leads there: the unit's own clock is all there is.
        for (int32_t unit : units) {
          if (offsets_.contains(unit)) continue;
          offsets_[unit] = {.is_node = by_node_, .unit = unit, .reference = true};
          break;
        }
        continue;
      }
      const auto& [known, unknown] = best->first;
      const bool forward = offsets_.contains(known);
      const int64_t median = Median(best->second);
      const int32_t unit = forward ? unknown : known;
      const int64_t base = offsets_[forward ? known : unknown].measured_ns;
      std::vector<int64_t> rest;
      for (int64_t difference : best->second) rest.push_back(std::abs(difference - median));
      offsets_[unit] = {.is_node = by_node_,
                        .unit = unit,
                        .residual_ns = Median(std::move(rest)),
                        .measured_ns = base + (forward ? median : -median),
                        .pairs = static_cast<int64_t>(best->second.size())};
    }
  }

  std::vector<int64_t> OffsetsOfRanks() {
    std::vector<int64_t> offset_ns;
    for (size_t r = 0; r < trace_.ranks.size(); ++r) {
      offset_ns.push_back(offsets_[UnitOf(static_cast<int32_t>(r))].measured_ns);
    }
    return offset_ns;
  }

  void Fill(RankClocks& clocks) {
    const auto corrected = OffsetsOfRanks();
    const int64_t after = CountImpossible(matches_, corrected);
    bool use = after < clocks.impossible_before;
    for (const auto& [unit, row] : offsets_) {
      const int64_t news = std::max(kOffsetNoNewsNs, 3 * row.residual_ns);
      use = use ||
            (by_node_ && after <= clocks.impossible_before && std::abs(row.measured_ns) > news);
    }
    for (auto& [unit, row] : offsets_) {
      row.offset_ns = use ? row.measured_ns : 0;
      clocks.rows.push_back(row);
    }
    clocks.corrected = use;
    if (!use) return;
    clocks.offset_ns = corrected;
    clocks.impossible_after = after;
  }

  const Trace& trace_;
  const Collectives& calls_;
  const Matches& matches_;
  bool by_node_ = false;
  std::vector<int64_t> zeros_;
  std::map<std::pair<int32_t, int32_t>, std::vector<int64_t>> pairs_;
  std::map<int32_t, ClockRow> offsets_;
};

}  // namespace

bool EndsTogether(const std::string& name) {
  return name != "broadcast" && name != "reduce" && name != "scatter" && name != "gather";
}

RankClocks AlignClocks(const Trace& trace, const Collectives& calls, const Matches& matches,
                       NodeClock node) {
  return Aligner(trace, calls, matches).Align(node);
}

}  // namespace steptrace::analyze
