// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "wire/ring_layout.h"

namespace steptrace::transport {

// A thread's CPU clock and run-queue wait at a begin_cpu(), see thread_cpu.h.
struct CpuMark {
  uint32_t depth = 0;
  bool known = false;
  uint64_t cpu_ns = 0;
  uint64_t run_queue_ns = 0;
};
// What a thread had when its schedstat was last read, see thread_cpu.h; all 0: it was not.
struct WaitReading {
  uint64_t monotonic_ns = 0;
  uint64_t cpu_ns = 0;
  uint64_t run_queue_ns = 0;
};
// A backward inside a backward is the deepest nest of measured ranges that frameworks make.
inline constexpr uint32_t kMaxCpuMarks = 4;

// The producer's private half of a ring. One thread owns it from claim to exit; only the
// atomics in the shared halves are seen by others.
//
//   head ── limit      positions that can be written without looking at anything shared
//   state              ranges that are open, and kBusy while a record is being made: one word, so
//                      that one comparison sees the guard, a depth of 0 and one too deep
//
// That is all while every open range was recorded. A begin that was not makes the ring odd, until
// its end: limit is then 0, so that the hot path leaves everything to ring_slow.cc, which keeps
//
//   open               bit i: was the begin of the open range i levels up recorded?
//   owed               open ranges that were recorded: ends for which room is kept
struct alignas(64) ThreadRing {
  static constexpr uint32_t kBusy = 1u << 31;  // the re-entrancy guard; for ever in g_no_ring

  uint32_t state = 0;
  uint64_t head = 0;
  uint64_t limit = 0;
  wire::Record* records = nullptr;
  uint64_t mask = 0;
  wire::RingControl* control = nullptr;

  bool busy() const { return (state & kBusy) != 0; }
  uint32_t depth() const { return state & ~kBusy; }

  bool odd = false;
  uint32_t owed = 0;
  uint32_t too_deep = 0;  // open ranges beyond kMaxDepth
  uint64_t open = 0;

  uint64_t tail = 0;  // last one seen
  uint32_t usable = 0;
  uint32_t index = 0;
  uint8_t after_loss = 0;   // the next record carries kFlagAfterLoss
  uint8_t cannot_grow = 0;  // the system had no memory once: not asked again
  uint8_t cpu_marks_used = 0;
  int schedstat_fd = 0;         // 0: not open, -1: not to be had
  uint64_t schedstat_file = 0;  // which file that is
  WaitReading last_wait;
  CpuMark cpu_marks[kMaxCpuMarks]{};
  uint32_t names[wire::kMaxDepth]{};  // of the open ranges
};

// What stands for a thread's ring while it has none: always busy, so that the hot path's first
// branch leaves it.
extern ThreadRing g_no_ring;

// All thread-local data of the probe: small, for it takes of the space that the loader keeps for
// libraries opened late.
struct ThreadLocal {
  ThreadRing* ring = &g_no_ring;
  uint32_t unrecorded = 0;   // records lost for want of a ring, not yet in the shared counter
  uint32_t until_retry = 0;  // records until it asks for a ring again
  bool no_space = false;     // why: the system's memory, not the budget
  bool acquiring = false;
  bool exiting = false;
  bool wants_large = false;  // its ring, which it has yet to claim, should be a large one
};

extern constinit thread_local ThreadLocal t_local;

}  // namespace steptrace::transport
