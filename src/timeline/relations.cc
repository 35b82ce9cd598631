// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cstring>
#include <queue>
#include <string>
#include <tuple>

#include "timeline/view.h"

namespace steptrace::timeline {
namespace {

// The lane's slice that encloses one of a lane further down: slices of a lane are disjoint, so that
// it can only be the last that begins no later.
std::optional<uint64_t> Encloser(const Lane& lane, int64_t ts_ns, int64_t end_ns, uint64_t from) {
  uint64_t after = lane.LowerBound(ts_ns, from);
  if (after < lane.size() && lane.Ts(after) == ts_ns) {
    if (lane.End(after) > ts_ns && lane.End(after) >= end_ns) return after;
    // Of no length at its begin: the one behind it may begin at the same moment.
    while (after + 1 < lane.size() && lane.Ts(after + 1) == ts_ns) {
      ++after;
      if (lane.End(after) > ts_ns && lane.End(after) >= end_ns) return after;
    }
    return std::nullopt;
  }
  if (after == 0) return std::nullopt;
  const int64_t before_end_ns = lane.End(after - 1);
  return before_end_ns > ts_ns && before_end_ns >= end_ns ? std::optional(after - 1) : std::nullopt;
}

uint64_t CutNs(int64_t ts_ns, int64_t end_ns, ViewRange time_range) {
  const int64_t from_ns = std::max(ts_ns, time_range.from_ns);
  const int64_t to_ns = std::min(end_ns, time_range.to_ns);
  return to_ns > from_ns ? static_cast<uint64_t>(to_ns) - static_cast<uint64_t>(from_ns) : 0;
}

// Lanes in which an encloser is sought. Nested slices have theirs in the next one; thousands of
// lanes are slices that overlap without nesting.
constexpr uint32_t kLanesUp = 1024;

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Names and what is sought may repeat themselves: std::search would take the product of their
// lengths, memmem takes their sum.
bool Holds(std::string_view name, const std::string& lower_part, std::string& lower) {
  lower.resize(name.size());
  std::transform(name.begin(), name.end(), lower.begin(), Lower);
  return memmem(lower.data(), lower.size(), lower_part.data(), lower_part.size()) != nullptr;
}

// Which labels' names hold it, by number.
std::vector<bool> LabelsWith(const Index& index, std::string_view part) {
  std::string lower(part);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  std::vector<bool> wanted(index.labels());
  std::string name;
  for (uint32_t label = 0; label < index.labels(); ++label) {
    wanted[label] = Holds(index.SearchTextOf(label), lower, name);
  }
  return wanted;
}

}  // namespace

void AddSums(const Index& index, uint32_t track, ViewRange time_range,
             std::vector<LabelSums>& sums) {
  sums.resize(std::max<size_t>(sums.size(), index.labels()));
  const uint32_t lanes = index.tracks()[track].lanes;
  std::vector<uint64_t> cursors;  // of the lanes above: where an encloser is sought from
  std::vector<Lane> above_it;
  for (uint32_t number = 0; number < lanes; ++number) {
    const Lane lane = index.LaneAt(track, number);
    const uint32_t highest = number > kLanesUp ? number - kLanesUp : 0;
    const auto [begin, end] = Index::Touched(lane, time_range.from_ns, time_range.to_ns);
    for (uint64_t i = begin; i < end; ++i) {
      const LaneSlice slice = lane.At(i);
      if (slice.label >= sums.size()) continue;
      const int64_t end_ns = lane.End(i);
      const uint64_t cut_ns = CutNs(slice.ts_ns, end_ns, time_range);
      const auto shown_ns = static_cast<int64_t>(std::min<uint64_t>(cut_ns, INT64_MAX));
      LabelSums& sum = sums[slice.label];
      sum.least_ns = sum.count == 0 ? shown_ns : std::min(sum.least_ns, shown_ns);
      sum.most_ns = std::max(sum.most_ns, shown_ns);
      ++sum.count;
      sum.total_ns += cut_ns;
      sum.self_ns += cut_ns;
      // What it covers is not the self time of the slice that it lies directly in.
      cursors.resize(number);
      for (uint32_t above = number; above > highest && cut_ns > 0; --above) {
        const Lane& upper = above_it[above - 1];
        uint64_t& cursor = cursors[above - 1];
        const auto encloser = Encloser(upper, slice.ts_ns, end_ns, cursor);
        if (!encloser) continue;
        cursor = *encloser;
        const uint32_t label = upper.Label(*encloser);
        if (label < sums.size()) sums[label].self_ns -= cut_ns;
        break;
      }
    }
    cursors.assign(number + 1, 0);
    above_it.push_back(lane);
  }
}

SearchResult Search(const Index& index, std::span<const uint32_t> tracks, ViewRange time_range,
                    std::string_view part, size_t limit) {
  const std::vector<bool> wanted = LabelsWith(index, part);
  SearchResult result;
  if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) return result;
  using Match = std::pair<int64_t, SliceId>;  // begin, slice; the latest on top
  std::priority_queue<Match> first;
  for (const uint32_t track : tracks) {
    for (uint32_t number = 0; number < index.tracks()[track].lanes; ++number) {
      const Lane lane = index.LaneAt(track, number);
      const auto [begin, end] = Index::Touched(lane, time_range.from_ns, time_range.to_ns);
      for (uint64_t i = begin; i < end; ++i) {
        const uint32_t label = lane.Label(i);
        if (label >= wanted.size() || !wanted[label]) continue;
        ++result.total;
        const Match match = {lane.Ts(i), index.IdOf(track, number, i)};
        if (first.size() < limit) {
          first.push(match);
        } else if (limit > 0 && match < first.top()) {
          first.pop();
          first.push(match);
        }
      }
    }
  }
  for (; !first.empty(); first.pop()) result.matches.push_back(first.top().second);
  std::reverse(result.matches.begin(), result.matches.end());
  return result;
}

std::optional<SlicePlace> ParentOf(const Index& index, const SlicePlace& place) {
  const Lane own = index.LaneAt(place.track, place.lane);
  const int64_t ts_ns = own.Ts(place.at);
  const int64_t end_ns = own.End(place.at);
  for (uint32_t above = place.lane; above > 0; --above) {
    const Lane upper = index.LaneAt(place.track, above - 1);
    if (const auto found = Encloser(upper, ts_ns, end_ns, 0)) {
      return SlicePlace{place.track, above - 1, *found};
    }
  }
  return std::nullopt;
}

int32_t DepthOf(const Index& index, const SlicePlace& place) {
  int32_t depth = 0;
  for (auto parent = ParentOf(index, place); parent; parent = ParentOf(index, *parent)) ++depth;
  return depth;
}

int64_t SelfNs(const Index& index, const SlicePlace& place) {
  const Lane own = index.LaneAt(place.track, place.lane);
  const int64_t ts_ns = own.Ts(place.at);
  const int64_t end_ns = own.End(place.at);
  int64_t self_ns = end_ns - ts_ns;
  for (uint32_t below = place.lane + 1; below < index.tracks()[place.track].lanes; ++below) {
    const Lane lower = index.LaneAt(place.track, below);
    const uint64_t begin = lower.LowerBound(ts_ns);
    uint64_t end = lower.LowerBound(end_ns, begin);
    if (end > begin && lower.End(end - 1) > end_ns) --end;  // reaches out: not within
    if (begin >= end) continue;
    if (below == place.lane + 1) {  // nothing lies between: all of them directly within
      self_ns -= static_cast<int64_t>(lower.CoveredBefore(end) - lower.CoveredBefore(begin));
      continue;
    }
    for (uint64_t i = begin; i < end; ++i) {
      const auto parent = ParentOf(index, {place.track, below, i});
      if (parent && parent->lane == place.lane && parent->at == place.at) {
        self_ns -= lower.Dur(i);
      }
    }
  }
  return self_ns;
}

}  // namespace steptrace::timeline
