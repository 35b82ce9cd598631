// SPDX-License-Identifier: Apache-2.0
#include "analyze/critical_path/path_names.h"

#include <algorithm>

namespace steptrace::analyze {

PathNamer::PathNamer(const Trace& trace, const PathGraph& graph) : trace_(trace), graph_(graph) {
  operators_.reserve(trace.ranks.size());  // lanes point at them
  for (const RankTrace& rank : trace.ranks) {
    const auto& operators = operators_.emplace_back(NearestSuch(
        rank.host, [&rank](size_t i) { return rank.host[i].kind == EventKind::kOperator; }));
    std::vector<HostLane> lanes(rank.lanes.size(), {NearestAncestor(rank.host, operators)});
    for (size_t i = 0; i < rank.host.size(); ++i) {
      HostLane& lane = lanes[static_cast<size_t>(rank.host[i].lane)];
      if (lane.last == 0) lane.first = i;
      lane.last = i + 1;
    }
    lanes_.push_back(std::move(lanes));
  }
}

void PathNamer::Name(const PathPiece& piece, std::vector<NamedPathSegment>& to) {
  if (piece.begin_ns >= piece.end_ns) return;
  const RankTrace& rank = trace_.ranks[static_cast<size_t>(piece.rank)];
  NamedPathSegment segment{
      piece.begin_ns, piece.end_ns - piece.begin_ns, rank.rank, piece.cause, {}, {}};
  if (piece.cause == PathCause::kHost && piece.lane != kNone) {
    NameThread(piece, to);
    return;
  }
  if (piece.event != kNone) {
    const auto& events = piece.on_device ? rank.device : rank.host;
    const TraceEvent& event = events[static_cast<size_t>(piece.event)];
    segment.name = event.name;
    if (event.op != kNone) {
      segment.op = rank.host[static_cast<size_t>(event.op)].name;
    }
  }
  to.push_back(std::move(segment));
}

void PathNamer::NameThread(const PathPiece& piece, std::vector<NamedPathSegment>& to) {
  const RankTrace& rank = trace_.ranks[static_cast<size_t>(piece.rank)];
  const int64_t offset = graph_.offset_ns[static_cast<size_t>(piece.rank)];
  const int64_t begin = piece.begin_ns + offset;
  const int64_t end = piece.end_ns + offset;
  HostLane& lane = lanes_[static_cast<size_t>(piece.rank)][static_cast<size_t>(piece.lane)];
  const auto [first, last] = std::pair(lane.first, lane.last);
  auto at = [&](int32_t i) -> const TraceEvent& { return rank.host[static_cast<size_t>(i)]; };
  auto is_operator = [&](const TraceEvent& event) { return event.kind == EventKind::kOperator; };
  // The last event that begins at or before; it or one around it is what the thread is in.
  auto next =
      std::upper_bound(rank.host.begin() + static_cast<std::ptrdiff_t>(first),
                       rank.host.begin() + static_cast<std::ptrdiff_t>(last), begin,
                       [](int64_t ns, const TraceEvent& event) { return ns < event.ts_ns; });
  const auto lane_end = rank.host.begin() + static_cast<std::ptrdiff_t>(last);
  int32_t begun = next == rank.host.begin() + static_cast<std::ptrdiff_t>(first)
                      ? kNone
                      : static_cast<int32_t>(next - rank.host.begin()) - 1;
  auto push = [&](int64_t from, int64_t until, int32_t event) {
    if (from >= until) return;
    const store::StringId op = event == kNone ? store::StringId::kEmpty : at(event).name;
    if (!to.empty() && to.back().cause == PathCause::kHost && to.back().op == op &&
        to.back().rank == rank.rank && to.back().begin_ns + to.back().dur_ns == from - offset) {
      to.back().dur_ns += until - from;
      return;
    }
    to.push_back({from - offset, until - from, rank.rank, PathCause::kHost, {}, op});
  };
  int64_t from = begin;
  while (from < end) {
    const int32_t inside = lane.operators.At(
        begun, from, [from](const TraceEvent& event) { return event.end_ns() > from; });
    int64_t until = inside == kNone ? end : std::min(end, at(inside).end_ns());
    // The next operator to begin cuts it off.
    auto ahead = next;
    while (ahead != lane_end && ahead->ts_ns < until && !is_operator(*ahead)) ++ahead;
    const bool cut = ahead != lane_end && ahead->ts_ns < until;
    if (cut) until = std::max(from, ahead->ts_ns);
    push(from, until, inside);
    from = until;
    next = ahead;
    if (cut) {
      begun = static_cast<int32_t>(ahead - rank.host.begin());
      ++next;
    }
  }
}

}  // namespace steptrace::analyze
