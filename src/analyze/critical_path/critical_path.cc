// SPDX-License-Identifier: Apache-2.0
#include "analyze/critical_path/critical_path.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "analyze/critical_path/path_graph.h"
#include "analyze/critical_path/path_names.h"
#include "analyze/critical_path/what_if.h"
#include "analyze/ranks/drift.h"
#include "analyze/ranks/overlap.h"
#include "analyze/trace/world_size.h"

namespace steptrace::analyze {
namespace {

double ShareOf(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

class PathBuilder {
 public:
  PathBuilder(const Trace& trace, const CriticalPathOptions& options)
      : trace_(trace), options_(options), graph_(BuildPathGraph(trace)), namer_(trace, graph_) {}

  CriticalPathSection Build() {
    if (!HasDevice()) return std::move(section_);
    section_.applicable = true;
    Window();
    Steps();
    section_.what_if = FindWhatIfs(graph_, section_.window, section_.steps);
    if (LacksRanks(trace_)) {
      // Without the exchange it would still wait for ranks that are not here.
      std::erase_if(section_.what_if, [](const WhatIf& change) {
        return change.stage == NameOf(PathCause::kCommunication);
      });
    }
    return std::move(section_);
  }

 private:
  bool HasDevice() const {
    return std::any_of(graph_.nodes.begin(), graph_.nodes.end(),
                       [](const PathNode& node) { return node.place == PathPlace::kDeviceEnd; });
  }

  // The last node at or before a moment. Windows and steps end at one.
  size_t LastNode(int64_t ns) const {
    auto after = std::upper_bound(graph_.nodes.begin(), graph_.nodes.end(), ns,
                                  [](int64_t at, const PathNode& node) { return at < node.ns; });
    return static_cast<size_t>(after - graph_.nodes.begin()) - 1;
  }

  // The nodes from a window's end back to its begin, always to what came last: the last is first.
  struct Chain {
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    std::vector<int32_t> nodes;

    size_t pieces() const { return nodes.size(); }  // the last is first, some are empty
  };

  Chain Walk(int64_t begin_ns, int64_t end_ns) const {
    Chain chain{begin_ns, end_ns, {}};
    size_t node = LastNode(end_ns);
    chain.nodes.push_back(static_cast<int32_t>(node));
    while (graph_.nodes[node].ns > begin_ns) {
      const std::optional<PathEdge> binding = graph_.BindingEdge(node);
      if (!binding) break;
      node = static_cast<size_t>(binding->from);
      chain.nodes.push_back(binding->from);
    }
    return chain;
  }

  PathPiece PieceOf(const Chain& chain, size_t i) const {
    PathPiece piece =
        i + 1 < chain.nodes.size() ? Between(static_cast<size_t>(chain.nodes[i])) : Before(chain);
    piece.begin_ns = std::max(piece.begin_ns, chain.begin_ns);
    piece.end_ns = std::min(piece.end_ns, chain.end_ns);
    return piece;
  }

  PathPiece Before(const Chain& chain) const {
    const PathNode& first = graph_.nodes[static_cast<size_t>(chain.nodes.back())];
    const int32_t rank = graph_.LineOf(first).rank;
    return {.begin_ns = chain.begin_ns,
            .end_ns = first.ns,
            .rank = rank,
            .event = kNone,
            .lane = kNone,
            .cause = PathCause::kNotRecorded,
            .on_device = false};
  }

  // What led to a node from the one that it waited for.
  PathPiece Between(size_t node) const {
    const PathNode& to = graph_.nodes[node];
    const PathEdge edge = *graph_.BindingEdge(node);
    const PathNode& from = graph_.nodes[static_cast<size_t>(edge.from)];
    const auto [rank, lane] = graph_.LineOf(to);
    PathPiece piece{from.ns, to.ns, rank, to.event, kNone, edge.cause, false};
    piece.on_device = to.place != PathPlace::kThread;
    const bool between_begins =
        from.place == PathPlace::kDeviceBegin && to.place == PathPlace::kDeviceBegin;
    if (between_begins) piece.event = from.event;  // while it ran
    if (to.place == PathPlace::kThread && edge.cause == PathCause::kHost) {
      // Between threads it is the one that goes on that took its time.
      piece.lane = lane;
      piece.event = kNone;
    }
    return piece;
  }

  PathOf SumOf(const Chain& chain) const {
    PathOf path;
    path.begin_ns = chain.begin_ns;
    path.dur_ns = chain.end_ns - chain.begin_ns;
    PathSums sums{};
    int32_t last_rank = kNone;
    for (size_t i = 0; i < chain.pieces(); ++i) {
      const PathPiece piece = PieceOf(chain, i);
      if (piece.begin_ns >= piece.end_ns) continue;
      if (last_rank == kNone) last_rank = piece.rank;
      sums[static_cast<size_t>(piece.cause)] += piece.end_ns - piece.begin_ns;
    }
    if (last_rank != kNone) path.rank = trace_.ranks[static_cast<size_t>(last_rank)].rank;
    path.causes = SharesOf(sums, path.dur_ns);
    return path;
  }

  void Window() {
    begin_ns_ = graph_.nodes.front().ns;
    end_ns_ = graph_.nodes.back().ns;
    const Chain chain = Walk(begin_ns_, end_ns_);
    section_.window = SumOf(chain);
    // Time ranges are named in the order of time and then summed: only the last may still grow.
    std::vector<NamedPathSegment> segments;
    int32_t rank = kNone;
    for (size_t i = chain.pieces(); i-- > 0;) {
      const PathPiece piece = PieceOf(chain, i);
      if (piece.begin_ns >= piece.end_ns) continue;
      section_.rank_changes += rank != kNone && rank != piece.rank ? 1 : 0;
      rank = piece.rank;
      namer_.Name(piece, segments);
      for (size_t known = 0; known + 1 < segments.size(); ++known) Take(segments[known]);
      if (!segments.empty()) segments.erase(segments.begin(), std::prev(segments.end()));
    }
    for (const NamedPathSegment& segment : segments) Take(segment);
    Rows();
    KeepLongest();
  }

  void Take(const NamedPathSegment& segment) {
    ++section_.segment_count;
    const uint64_t key =
        static_cast<uint64_t>(segment.name) << 32 | static_cast<uint32_t>(segment.op);
    PathRow& row = rows_[key][static_cast<size_t>(segment.cause)];
    row.ns += segment.dur_ns;
    row.segments += 1;
    if (segment.dur_ns < at_least_ns_) return;
    longest_.push_back(segment);
    constexpr size_t kMostWaiting = 4096;
    if (longest_.size() >= 2 * options_.top + kMostWaiting) SortLongest();
  }

  void Rows() {
    for (auto& [key, of_names] : rows_) {
      for (size_t cause = 0; cause < of_names.size(); ++cause) {
        PathRow& row = of_names[cause];
        if (row.segments == 0) continue;
        row.cause = static_cast<PathCause>(cause);
        row.name = trace_.Text(static_cast<store::StringId>(key >> 32));
        row.op = trace_.Text(static_cast<store::StringId>(key & 0xffffffff));
        row.share = ShareOf(row.ns, section_.window.dur_ns);
        section_.rows.push_back(std::move(row));
      }
    }
    rows_.clear();
    std::sort(section_.rows.begin(), section_.rows.end(), [](const auto& a, const auto& b) {
      return std::tie(b.ns, a.cause, a.name, a.op) < std::tie(a.ns, b.cause, b.name, b.op);
    });
  }

  // Leaves the longest, in order, and what a further one must last to be one of them.
  void SortLongest() {
    const size_t kept = std::min(options_.top, longest_.size());
    std::partial_sort(longest_.begin(), longest_.begin() + static_cast<std::ptrdiff_t>(kept),
                      longest_.end(), [](const auto& a, const auto& b) {
                        return std::tie(b.dur_ns, a.begin_ns) < std::tie(a.dur_ns, b.begin_ns);
                      });
    longest_.resize(kept);
    if (kept > 0) at_least_ns_ = longest_.back().dur_ns;
  }

  void KeepLongest() {
    SortLongest();
    for (const NamedPathSegment& segment : longest_) {
      section_.segments.push_back({segment.begin_ns, segment.dur_ns, segment.rank, segment.cause,
                                   trace_.Text(segment.name), trace_.Text(segment.op)});
    }
  }

  // Each step from its first rank's begin, but not before the end of the step before on all ranks,
  // to its last rank's end, device work included: each moment is of one step at most.
  void Steps() {
    std::map<int64_t, TimeRange> by_number;
    for (size_t r = 0; r < trace_.ranks.size(); ++r) {
      const RankTrace& rank = trace_.ranks[r];
      const auto segments = StepTimeRanges(rank);
      for (size_t s = 0; s < segments.size(); ++s) {
        const int64_t offset = graph_.offset_ns[r];
        auto [found, added] =
            by_number.try_emplace(rank.steps[s].number, TimeRange{INT64_MAX, INT64_MIN});
        found->second.begin_ns = std::min(found->second.begin_ns, segments[s].begin_ns - offset);
        found->second.end_ns = std::max(found->second.end_ns, segments[s].end_ns - offset);
      }
    }
    std::vector<std::pair<int64_t, TimeRange>> steps(by_number.begin(), by_number.end());
    std::stable_sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) {
      return a.second.begin_ns < b.second.begin_ns;
    });
    int64_t sum = 0;
    int64_t ended_ns = begin_ns_;
    for (auto& [number, segment] : steps) {
      segment.begin_ns = std::max(segment.begin_ns, ended_ns);
      if (segment.begin_ns >= segment.end_ns) continue;
      ended_ns = segment.end_ns;
      PathOf path = SumOf(Walk(segment.begin_ns, segment.end_ns));
      path.step = number;
      sum += path.dur_ns;
      section_.steps.push_back(std::move(path));
    }
    if (section_.steps.empty()) return;
    section_.mean_step_ns = sum / static_cast<int64_t>(section_.steps.size());
  }

  const Trace& trace_;
  const CriticalPathOptions& options_;
  PathGraph graph_;
  PathNamer namer_;
  int64_t begin_ns_ = 0;
  int64_t end_ns_ = 0;
  std::unordered_map<uint64_t, std::array<PathRow, kPathCauses>> rows_;  // by name and operator
  std::vector<NamedPathSegment> longest_;
  int64_t at_least_ns_ = 0;
  CriticalPathSection section_;
};

}  // namespace

CriticalPathSection BuildCriticalPath(const Trace& trace, const CriticalPathOptions& options) {
  const std::optional<Undrifted> undrifted = RemoveDrift(trace);
  return PathBuilder(undrifted ? undrifted->trace : trace, options).Build();
}

}  // namespace steptrace::analyze
