// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "analyze/trace/trace.h"
#include "store/packed_rows.h"

namespace steptrace::analyze {

// Makes of one rank's rows of a live run what collectives are matched and blamed on
// (DistributedOptions::live): its collectives that tell their group and number, kernels and copies
// where those were captured, and of the host its phases and ranges.
//
//   communication   the outermost of a thread that tells its group; not an asynchronous one, whose
//                   range is its start alone
//   nccl            every one that tells its group. It is NCCL's own word: where there is one, the
//                   rank's calls of collectives and the kernels of NCCL are left out
//   kernel, gpu_memcpy, gpu_memset
//   phase, user     as they are
//
// Rows may come in batches, in any order. Of more than `most` the newest are held: a run of days
// has more than memory takes, and what made ranks wait shows in its end. One thread.
class LiveTraceBuilder {
 public:
  // The tracks and the texts outlive it.
  LiveTraceBuilder(int32_t rank, std::span<const store::TrackRow> tracks,
                   const store::StringTable& strings, size_t most = SIZE_MAX);

  void Add(std::span<const store::SliceRow> slices);

  // What begins earlier is not held; INT64_MIN: nothing was left out.
  int64_t from_ns() const { return from_ns_; }
  void LeaveOutBefore(int64_t ts_ns);

  // `steps`: rows of the table `steps`, of which those of this rank count. The builder is spent.
  RankTrace Build(const store::PackedSteps& steps);

 private:
  enum class Kind : uint8_t { kNothing, kCollective, kNccl, kDevice, kHost };
  struct Work {
    TraceEvent event;
    DeviceNumbers numbers;
  };
  struct Call {
    int32_t track = 0;
    Work work;
  };
  Kind KindOfCategory(store::StringId category);
  enum class CallKind : uint8_t { kNothing, kCall, kAsynchronousCall };
  CallKind CallKindOf(store::StringId details);
  void Keep(const store::SliceRow& row, bool on_device, EventKind kind, DeviceRole role);
  void LeaveOutHalf();
  std::vector<Call> Outermost();
  void TakeCalls();
  void TakeDevice();
  int32_t LaneOf(int32_t track);

  int32_t rank_;
  std::span<const store::TrackRow> tracks_;
  const store::StringTable& strings_;
  size_t most_;
  int64_t from_ns_ = INT64_MIN;
  std::unordered_map<int32_t, Kind> kinds_;           // by category
  std::unordered_map<int32_t, CallKind> call_kinds_;  // by details
  std::vector<Call> calls_;
  std::vector<Work> device_;
  bool has_nccl_ = false;
  std::map<int32_t, int32_t> lanes_;  // by track
  RankTrace trace_;
};

}  // namespace steptrace::analyze
