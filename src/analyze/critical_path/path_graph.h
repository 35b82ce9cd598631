// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyze/critical_path/path_cause.h"
#include "analyze/trace/trace.h"

// What had to happen before what, on all threads, streams and ranks of a profile. Nodes are
// moments, sorted by time; edges lead forward in that order, so that whoever goes over the nodes
// once has gone over all paths.
//
//   thread      points: begin and end of calls that launch or wait, waits for data, hand-overs
//   launch      begin of the call -> begin of its device work
//   stream      end of one -> begin of the next
//   wait        Stream Wait Event: end of what was recorded -> begin of what comes after the wait
//   sync        end of the device work waited for -> end of the call
//   backward    last point of the script's thread -> autograd's thread -> the script's next point
//   collective  begins on all ranks -> one moment (the last has begun) -> ends on all ranks
//   not linked  what came last on the rank -> device work whose launch, or a thread whose start the
//               profile does not tell
namespace steptrace::analyze {

enum class PathPlace : uint8_t { kThread, kDeviceBegin, kDeviceEnd, kJoin };

// Of millions of nodes and edges each stands for what its index says elsewhere.
struct PathNode {
  static constexpr uint32_t kMostLines = (1u << 30) - 1;

  int64_t ns = 0;          // in aligned time
  int32_t event = kNone;   // index in host or device, by place
  uint32_t line : 30 = 0;  // index in PathGraph::lines
  PathPlace place : 2 = PathPlace::kThread;
};
static_assert(sizeof(PathNode) == 16);

// A lane of a rank.
struct PathLine {
  int32_t rank = 0;  // index of the rank
  int32_t lane = 0;
};

struct PathEdge {
  int32_t from = 0;
  PathCause cause = PathCause::kHost;
  // Takes the time from node to node whatever was before; else it only holds back.
  bool is_work = false;
};

// What an edge is, in a byte.
class PathEdgeKind {
 public:
  PathEdgeKind() = default;  // there is no edge
  PathEdgeKind(PathCause cause, bool is_work)
      : bits_(static_cast<uint8_t>(kThere | (is_work ? kWork : 0) | static_cast<uint8_t>(cause))) {}

  bool is_there() const { return (bits_ & kThere) != 0; }
  PathEdge From(int32_t node) const {
    return {node, static_cast<PathCause>(bits_ & kCause), (bits_ & kWork) != 0};
  }

 private:
  static constexpr uint8_t kCause = 0x0f, kWork = 0x10, kThere = 0x20;
  static_assert(kPathCauses <= kCause);
  uint8_t bits_ = 0;
};

class PathGraph {
 public:
  // Of a node's edges one that is not its binding one.
  struct OtherEdge {
    int32_t to = 0;
    int32_t from = 0;
    PathEdgeKind kind;
  };

  std::vector<PathNode> nodes;
  std::vector<PathLine> lines;
  std::vector<int64_t> offset_ns;  // by index of the rank: aligned = own - offset

  // What the node waited for: of the edges that lead to it the one that ended last. None: it waited
  // for nothing.
  std::optional<PathEdge> BindingEdge(size_t node) const {
    if (!binding_[node].is_there()) return std::nullopt;
    return binding_[node].From(binding_from_[node]);
  }
  // The others, by the node that they lead to: few nodes have more than one edge.
  std::span<const OtherEdge> others() const { return others_; }
  const PathLine& LineOf(const PathNode& node) const { return lines[node.line]; }
  int64_t Length(const PathEdge& edge, size_t to) const {
    return nodes[to].ns - nodes[static_cast<size_t>(edge.from)].ns;
  }

 private:
  friend class PathGraphBuilder;
  std::vector<int32_t> binding_from_;  // by node
  std::vector<PathEdgeKind> binding_;  // by node
  std::vector<OtherEdge> others_;
};

PathGraph BuildPathGraph(const Trace& trace);

}  // namespace steptrace::analyze
