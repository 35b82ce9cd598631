// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probe/cupti_library.h"

// Takes CUPTI out of the process after a window. Turned off it would stay in the way of every call
// of CUDA's: a launch took 4.9 us in place of 3.9 on an H200, a step of many launches half as long
// again (bench/history/2026-11.md). NVIDIA's way out is cuptiFinalize, called where a call of
// CUDA's returns; so we subscribe, for that one call.
//
//   here ── RequestDetach ──► asked ── the next call of CUDA's returns, in any thread ──► leaving
//    ▲                        │                                                            │
//    ├──── StayAttached ◄─────┘                                                            ▼
//    └────────────── CUPTI is used again, by us or by others ◄─────────────────────────── gone
//
// Not where CUDA graphs are: their next replay may fail then (CUDA 13.0: "unspecified launch
// failure"). Not before CUDA 12.6, where it could crash. Not where another tool uses CUPTI or has
// done so, for it ends what all have begun; and not from 13.2 on, where a subscriber that comes
// later would get no records any more (PyTorch's monitor, which says so).
namespace steptrace::probe {

// Null: it will leave. Else why it stays, a sentence.
const char* RequestDetach(const CuptiLibrary& library);

// CUPTI is about to be used: from now on it does not leave. False: it is about to, in another
// thread, and was not done within 50 ms.
bool StayAttached();

// How often it has left.
uint32_t TimesLeft();

// In a child of a fork nobody may touch it.
void ForgetDetach();

}  // namespace steptrace::probe
