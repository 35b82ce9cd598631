// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/held_rows.h"

#include <utility>

namespace steptrace::import::kineto {

Status HeldRows::Hold(const Slice& slice) {
  STEPTRACE_RETURN_IF_ERROR(Release());
  held_ = slice;
  has_held_ = true;
  return {};
}

Status HeldRows::Release() {
  if (!has_held_) return {};
  has_held_ = false;
  return Keep(held_);
}

Status HeldRows::Keep(const Slice& slice) {
  if (slice.ts_ns == 0) {
    if (times_.first_ns() == 0 && without_time_.size() < kMostWithoutTime) {
      without_time_.push_back(slice);
      return {};
    }
    if (times_.IsNone(0)) return {};
  }
  return sink_.Append(slice);
}

Status HeldRows::AddFlow(const Flow& flow) {
  if (StandsAt(flow.track, flow.ts_ns)) {
    (flow.out ? held_.flow_out : held_.flow_in) = flow.id;
    return {};
  }
  if (reads_ == Reads::kPiece && !has_held_) {
    early_flows_.push_back(flow);
    return {};
  }
  return sink_.AddFlow(flow.track, flow.ts_ns, flow.id, flow.out);
}

bool HeldRows::JoinLaunch(const Flow& launch) {
  if (!StandsAt(launch.track, launch.ts_ns) || held_.correlation != kNull) return false;
  held_.correlation = launch.id;
  return true;
}

void HeldRows::KeepEarlyLaunch(const Flow& launch) {
  if (reads_ == Reads::kPiece && !has_held_) early_launches_.push_back(launch);
}

Status HeldRows::Absorb(const HeldRows& piece, const Part& rows, std::span<const int32_t> tracks) {
  auto here = [&](int32_t track) { return tracks[static_cast<size_t>(track)]; };
  for (const Flow& launch : piece.early_launches_) {
    if (StandsAt(here(launch.track), launch.ts_ns)) held_.correlation = launch.id;
  }
  for (const Flow& flow : piece.early_flows_) {
    const int32_t track = here(flow.track);
    if (StandsAt(track, flow.ts_ns)) {
      (flow.out ? held_.flow_out : held_.flow_in) = flow.id;
    } else if (track >= 0) {
      STEPTRACE_RETURN_IF_ERROR(sink_.AddFlow(track, flow.ts_ns, flow.id, flow.out));
    }
  }
  if (piece.has_held_) STEPTRACE_RETURN_IF_ERROR(Release());
  STEPTRACE_RETURN_IF_ERROR(sink_.Absorb(rows, tracks));
  if (piece.has_held_) {
    held_ = piece.held_;
    held_.track = here(held_.track);
    has_held_ = held_.track >= 0;
  }
  return {};
}

Status HeldRows::Finish() {
  STEPTRACE_RETURN_IF_ERROR(Release());
  for (const Slice& slice : std::exchange(without_time_, {})) {
    if (!times_.IsNone(slice.ts_ns)) STEPTRACE_RETURN_IF_ERROR(sink_.Append(slice));
  }
  return {};
}

}  // namespace steptrace::import::kineto
