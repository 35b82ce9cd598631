// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "analyze/trace/intervals.h"
#include "analyze/trace/trace.h"
#include "store/string_table.h"

namespace steptrace::analyze {

// What a rank's devices do at a moment; of what runs at once the first of these.
enum class DeviceActivityKind : uint8_t { kCompute, kCommunication, kToDevice, kCopy, kIdle };

struct DevicePiece {
  TimeRange time;
  DeviceActivityKind doing = DeviceActivityKind::kIdle;
  const TraceEvent* ended_by = nullptr;  // of idle time: the work that begins at its end
};

// From when on in an idle piece the device had work that it did not begin: what ends the piece had
// been launched. The piece's end where nothing tells of a launch.
int64_t LaunchedNs(const RankTrace& trace, const DevicePiece& idle);

// Goes over a rank's device work once, in order of time, without a list of what it finds: pieces
// without a gap. Idle pieces are whole, others may be reported in parts. A copy goes on from where
// the original is. The trace outlives it.
class DeviceSweep {
 public:
  DeviceSweep(const RankTrace& trace, const store::StringTable& strings, const TimeRange& window);

  int64_t at_ns() const { return at_ns_; }
  bool done() const { return at_ns_ >= end_ns_; }
  // Only while it is not done.
  DevicePiece Next();

 private:
  void BeginUpToNow();
  DevicePiece Idle() const;

  const RankTrace* trace_;
  const store::StringTable* strings_;
  int64_t at_ns_;
  int64_t end_ns_;
  size_t next_ = 0;  // the first event that has not begun
  std::array<int64_t, static_cast<size_t>(DeviceActivityKind::kIdle)> runs_until_ns_;
};

}  // namespace steptrace::analyze
