// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyze/critical_path/path_graph.h"
#include "analyze/critical_path/path_section.h"
#include "analyze/trace/host_ancestors.h"

namespace steptrace::analyze {

// A piece of the path before it has names.
struct PathPiece {
  int64_t begin_ns = 0;  // in aligned time
  int64_t end_ns = 0;
  int32_t rank = 0;
  int32_t event = kNone;  // device event, or the host's call
  int32_t lane = kNone;   // of a thread: what it did is looked up there
  PathCause cause = PathCause::kHost;
  bool on_device = false;
};

using NamedPathSegment = PathSegmentOf<store::StringId>;

// Names pieces; those on a thread are cut where the innermost operator changes. Lengths stay. Quick
// for pieces in order of time.
class PathNamer {
 public:
  PathNamer(const Trace& trace, const PathGraph& graph);
  void Name(const PathPiece& piece, std::vector<NamedPathSegment>& to);

 private:
  struct HostLane {
    NearestAncestor operators;
    size_t first = 0;  // of its host events
    size_t last = 0;   // past them
  };

  void NameThread(const PathPiece& piece, std::vector<NamedPathSegment>& to);

  const Trace& trace_;
  const PathGraph& graph_;
  std::vector<std::vector<int32_t>> operators_;  // NearestSuch of each rank
  std::vector<std::vector<HostLane>> lanes_;     // by rank
};

}  // namespace steptrace::analyze
