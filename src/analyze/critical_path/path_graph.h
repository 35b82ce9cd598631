// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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
namespace steptrace::analyze {

enum class PathCause : uint8_t {
  kHost,
  kData,
  kLaunch,
  kCompute,
  kMemory,
  kCommunication,
  kSynchronisation,
  kDeviceGap,    // between device work, with no cause that the profile shows
  kNotRecorded,  // before anything that the profile holds
};
inline constexpr int kPathCauses = 9;
const char* NameOf(PathCause cause);

enum class PathPlace : uint8_t { kThread, kDeviceBegin, kDeviceEnd, kJoin };

struct PathNode {
  int64_t ns = 0;         // in aligned time
  int32_t rank = 0;       // index of the rank
  int32_t event = kNone;  // index in host or device, by place
  int32_t lane = 0;
  PathPlace place = PathPlace::kThread;
};

struct PathEdge {
  int32_t from = 0;
  PathCause cause = PathCause::kHost;
  bool is_work = false;  // takes its time whatever was before; else it only holds back
  int64_t work_ns = 0;   // of work
};

class PathGraph {
 public:
  std::vector<PathNode> nodes;
  std::vector<int64_t> offset_ns;  // by index of the rank: aligned = own - offset

  std::span<const PathEdge> Into(size_t node) const {
    return {edges_.data() + first_[node], edges_.data() + first_[node + 1]};
  }
  // Into(node)'s edge that ended last: what the node waited for. kNone: nothing did.
  int32_t BindingEdge(size_t node) const { return binding_[node]; }
  size_t edge_count() const { return edges_.size(); }

 private:
  friend class PathGraphBuilder;
  std::vector<PathEdge> edges_;  // by node that they lead to
  std::vector<uint32_t> first_;
  std::vector<int32_t> binding_;
};

PathGraph BuildPathGraph(const Trace& trace);

// Numbers 0 … n-1 by key, equal keys in their order (radix sort; linear).
std::vector<uint32_t> StableOrder(std::span<const int64_t> keys);

}  // namespace steptrace::analyze
