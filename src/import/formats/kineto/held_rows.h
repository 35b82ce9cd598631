// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "import/core/rows/part.h"
#include "import/core/rows/part_sink.h"
#include "import/formats/kineto/event_times.h"
#include "import/formats/kineto/reads.h"

namespace steptrace::import::kineto {

// The rows of a file on their way to the sink. The last is held back until the next: Kineto writes
// the end of a flow, and CANN that of a launch, behind the row that it belongs to. So are those at
// 0 until it is known whether that is a time.
class HeldRows {
 public:
  HeldRows(PartSink& sink, EventTimes& times, Reads reads)
      : sink_(sink), times_(times), reads_(reads) {}

  Status Hold(const Slice& slice);
  // An end of a flow: of the held row if it stands there, else the sink finds its row.
  Status AddFlow(const Flow& flow);
  // Whether the held row stands where this launch does, and has its number now.
  bool JoinLaunch(const Flow& launch);
  // A launch of which no held row is: of a piece, that may be the last one ahead of it.
  void KeepEarlyLaunch(const Flow& launch);

  // The rows of a piece follow those that are here, `tracks` as PartSink::Absorb has it. The times
  // of the piece are known to these before.
  Status Absorb(const HeldRows& piece, const Part& rows, std::span<const int32_t> tracks);
  // What came before is all: what is held goes to the sink.
  Status Finish();

 private:
  static constexpr size_t kMostWithoutTime = 1 << 16;

  bool StandsAt(int32_t track, int64_t ts_ns) const {
    return has_held_ && held_.track == track && held_.ts_ns == ts_ns;
  }
  Status Release();
  Status Keep(const Slice& slice);

  PartSink& sink_;
  EventTimes& times_;
  Reads reads_;
  Slice held_;
  bool has_held_ = false;
  std::vector<Slice> without_time_;  // at 0, before any other time is known
  // Of a piece.
  std::vector<Flow> early_launches_;  // of what stands before its first row
  std::vector<Flow> early_flows_;     // before its first held row
};

}  // namespace steptrace::import::kineto
