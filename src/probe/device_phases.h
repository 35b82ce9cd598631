// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The collector of device time by phase, for every step and without CUPTI: an event is recorded on
// the current stream at each boundary of a phase, and read when the device has reached it. From two
// neighbours comes a record of category kDevicePhase (wire/vocabulary.h).
//
//   off ── BeginDevicePhases ──► on ◄── PauseDevicePhases ──► paused
//                                 └── a call fails ──► off, and the reason is returned once
//
// What is certain: how long the device took from boundary to boundary. What is not: whether it
// computed all that time; gaps within a phase are not seen. Only between data_begin and data_end,
// where the training thread gives the device nothing, is it idle for sure.
//
// Nothing is waited for: events come from a fixed pool a device, and where none is free the
// boundary is left out and counted. Nothing is loaded, and no device initialized: the driver is the
// process's own and the context the thread's current one. While a stream captures a graph it is
// left alone, and no call of ours can break the capture of another (mode kRelaxed). Our own cost is
// watched: where it is over a part of a step that would show, steps are left out in between.
//
// Calls come one at a time (the interpreter sees to that). Boundaries belong to one thread, the one
// that begins; others' are passed over. In a child of a fork all is off for good.
namespace steptrace::probe {

// As the hooks number them (python/steptrace/_hooks/device_phases.py).
enum class Boundary : uint32_t {
  kDataBegin = 0,
  kDataEnd = 1,
  kBackwardBegin = 2,
  kBackwardEnd = 3,
  kOptimizerBegin = 4,
  kOptimizerEnd = 5,
};
inline constexpr uint32_t kBoundaries = 6;

// Null: on. Else why not, a sentence.
const char* BeginDevicePhases();

// What tells the driver's handle of the current stream of the current device. It is asked only
// where an event is to be recorded. False: it cannot, and the boundary is left out.
using StreamOf = bool (*)(uint64_t* stream);

// The thread is at that boundary of a phase. Not null: why there will be no more, once.
const char* RecordBoundary(Boundary boundary, StreamOf stream_of);

// Somebody else watches the driver's calls (CUPTI, a profiler of the script's): none of ours then.
void PauseDevicePhases(bool on);

// Hands over what the device has reached by now, and ends.
void EndDevicePhases();

struct DevicePhaseStats {
  uint64_t events = 0;        // recorded
  uint64_t no_event = 0;      // boundaries left out: none was free
  uint64_t captures = 0;      // ... a graph was being captured
  uint64_t rested_steps = 0;  // steps left out for their cost
};
DevicePhaseStats GetDevicePhaseStats();

// Another clock, and all forgotten: for tests. Null: the machine's monotonic one.
void ResetDevicePhasesForTesting(uint64_t (*now_ns)());

}  // namespace steptrace::probe
