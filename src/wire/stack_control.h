// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/ring_layout.h"

// The agent's word on stacks, in the ring file's header page behind CaptureControl: whether the
// process is to sample its own, because the agent cannot read them from outside.
//
//   agent: both words, one pwrite ──► process, at boundaries of steps and batches: reads both. A
//   pair that does not match is torn and is read again. While sampling: before each sample.
//
// Stacks are records of category kStack (vocabulary.h). Their texts in the arena are JSON:
//
//   [function, file]         code, by its id below
//   [caller, code, line]     a frame: the id of the frame that called it (0: none) and of its code.
//                            A caller's id is smaller than that of what it calls
//   {"period_ns": N, …}      how often the process samples from here on; with "cpu_ns" and
//   "wall_ns"
//                            what it took, where that changed it, and "threads_left_out": true
//                            once there have been too many
namespace steptrace::wire {

struct StackControl {
  uint64_t period_ns;  // between two samples of a thread; 0: none are wanted
  uint64_t check;      // ~period_ns; 0 with period 0: the agent has said nothing
};
inline constexpr uint64_t kStackControlOffset =
    (kCaptureOffset + sizeof(CaptureControl) + 15) / 16 * 16;
// The shortest and the longest period: 1000 samples per second, one in ten seconds.
inline constexpr uint64_t kMinStackPeriodNs = 1'000'000;
inline constexpr uint64_t kMaxStackPeriodNs = 10'000'000'000;

// Bounds of what one process reports. Frames beyond are left out, the outermost first.
inline constexpr uint32_t kMaxReportedFrames = 256;
// A name and a path, escaped; what is longer is cut.
inline constexpr uint32_t kMaxStackTextBytes = 2048;

// The period that is asked for; 0: none, or not a whole word.
constexpr uint64_t StackPeriod(const StackControl& control) {
  const bool sound = control.check == ~control.period_ns &&
                     control.period_ns >= kMinStackPeriodNs &&
                     control.period_ns <= kMaxStackPeriodNs;
  return sound ? control.period_ns : 0;
}

inline constexpr char kStackName[] = "stack";

static_assert(sizeof(StackControl) == 16 && kStackControlOffset % 16 == 0);
static_assert(kStackControlOffset + sizeof(StackControl) <= kHeaderBytes);
static_assert(kMaxStackTextBytes <= kMaxNameBytes);

}  // namespace steptrace::wire
