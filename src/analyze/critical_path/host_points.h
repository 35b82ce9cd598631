// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/critical_path/path_cause.h"
#include "analyze/trace/trace.h"

// The moments of a rank's threads that matter to others, in order, and what lies between them.
namespace steptrace::analyze {

enum class PointKind : uint8_t { kEdge, kCallBegin, kCallEnd, kDataBegin, kDataEnd };

struct HostPoint {
  int64_t ns = 0;  // by the rank's own clock
  int32_t lane = 0;
  int32_t event = kNone;  // whose begin or end it is
};
static_assert(sizeof(HostPoint) == 16);

// What else is known of a point.
struct PointMark {
  PointKind kind = PointKind::kEdge;
  // Of the time range from the lane's point before.
  PathCause cause = PathCause::kHost;
  bool idle_before = false;  // the thread waited for another one
};

// Autograd's thread works while the script's thread waits for it.
struct HandOver {
  int32_t script_before = kNone;  // indices of points
  int32_t first = kNone;
  int32_t last = kNone;
  int32_t script_after = kNone;
};

struct HostPoints {
  std::vector<HostPoint> points;  // by lane, then time
  std::vector<PointMark> marks;   // by point
  std::vector<HandOver> hand_overs;
  std::vector<int32_t> call_begin;  // by host event: the point at its begin, or kNone
  int32_t script_lane = kNone;
};

HostPoints FindHostPoints(const RankTrace& rank, const store::StringTable& strings);

}  // namespace steptrace::analyze
