// SPDX-License-Identifier: Apache-2.0
// The pieces of a TraceReader.
#include <utility>

#include "import/kineto/trace_reader.h"

namespace steptrace::import {

void TraceReader::EndPiece(std::unique_ptr<Part> next) {
  not_a_number_ = texts_.args.not_a_number() - not_a_number_;
  rows_ = sink_.TakePiece(std::move(next));
}

Result<bool> TraceReader::Absorb(TraceReader& piece) {
  if (!sink_.HasRoomFor(piece.tracks_.size())) return false;
  std::vector<int32_t> tracks = tracks_.Absorb(piece.tracks_);
  auto here = [&](int32_t track) { return tracks[static_cast<size_t>(track)]; };
  // No event of a piece is at 0, so its first time is older than its first row.
  if (first_time_ns_ == 0) first_time_ns_ = piece.first_time_ns_;
  for (const Flow& flow : piece.early_flows_) {
    int32_t track = here(flow.track);
    if (has_held_ && held_.track == track && held_.ts_ns == flow.ts_ns) {
      (flow.out ? held_.flow_out : held_.flow_in) = flow.id;
    } else if (track >= 0) {
      sink_.AddFlow(track, flow.ts_ns, flow.id, flow.out);
    }
  }
  if (piece.has_held_) STEPTRACE_RETURN_IF_ERROR(Release());
  STEPTRACE_RETURN_IF_ERROR(sink_.Absorb(*piece.rows_, tracks));
  if (piece.has_held_) {
    held_ = piece.held_;
    held_.track = here(held_.track);
    has_held_ = held_.track >= 0;
  }
  for (const auto& [cause, count] : piece.lost_) lost_[cause] += count;
  lost_["not_a_number"] += piece.not_a_number_;
  not_utf8_.insert(piece.not_utf8_.begin(), piece.not_utf8_.end());
  device_events_ += piece.device_events_;
  kineto_ = kineto_ || piece.kineto_;
  of_2021_ = of_2021_ || piece.of_2021_;
  return true;
}

}  // namespace steptrace::import
