// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "agent/rows/reported_tensor.h"
#include "analyze/derive/event.h"
#include "store/tables.h"
#include "wire/vocabulary.h"

namespace steptrace::agent {

// Of a window that the process began or ended (wire/vocabulary.h, kWindow). Its numbers are the
// process's word: checked to be of their types, no more.
struct WindowMark {
  int64_t ts_ns = 0;
  bool begins = false;
  bool device_done = false;  // neither begin nor end: all that devices did in it has been told
  uint64_t request = 0;
  uint32_t kinds = 0;       // begin
  uint32_t first_step = 0;  // begin; 0: not reported
  uint32_t steps = 0;       // end
  wire::WindowEnd end{};    // end
};

// What torch's allocator holds of a device (kDeviceMemory).
struct DeviceMemorySample {
  int64_t ts_ns = 0;
  int32_t device = 0;
  store::StringId metric{};  // torch_cuda.…
  double value = 0;
};

// A stack that the process sampled itself (kStack): its numbers are the process's word.
struct ReportedStack {
  int64_t ts_ns = 0;
  uint32_t text = 0;  // id in the process's arena
  int32_t tid = 0;    // 0: the text says something of the sampling itself
  bool running = false;
};

// What one range of records became. A value, reused from pass to pass.
struct RowBatch {
  std::vector<store::TrackRow> tracks;
  std::vector<store::SliceRow> slices;
  std::vector<store::CounterRow> counters;
  std::vector<store::RunMetadataRow> facts;
  std::vector<store::DataLossRow> losses;
  std::vector<WindowMark> windows;
  std::vector<DeviceMemorySample> device_memory;  // also rows of `counters`
  std::vector<ReportedStack> stacks;
  std::vector<ReportedTensor> tensors;
  std::vector<analyze::Event> events;  // for the deriver of the process's rank

  void Clear() {
    tracks.clear();
    slices.clear();
    counters.clear();
    facts.clear();
    losses.clear();
    windows.clear();
    device_memory.clear();
    stacks.clear();
    tensors.clear();
    events.clear();
  }
};

}  // namespace steptrace::agent
