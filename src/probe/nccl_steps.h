// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probe/nccl_events.h"

// Steps of NCCL's proxy: a chunk that it sends or receives over the network for an operation. Each
// range of a step, by what the proxy waits for in it, is a complete record with the operation's
// details; the network's has the chunk's bytes.
//
//   send      started ─► device fills the buffer ─► peer has room ─► network ─► stopped
//   receive   started ─► network ─► flushed to the device ─► device takes it ─► stopped
//
// A collective has a budget: NCCL is told nothing of the steps beyond it, and so asks no more for
// them. On the thread of the proxy.
namespace steptrace::probe {

inline constexpr uint32_t kMostNcclSteps = 32;  // of one collective, all of its operations

// `operation`: handle. 0: over the budget, or its operation is not recorded.
uint64_t StartNcclStep(uint64_t operation);
// The step comes to the state of that number (ncclProfilerEventState_t).
void SetNcclStepState(nccl_events::EventState& step, int32_t state, uint64_t bytes);
void StopNcclStep(nccl_events::EventState& step, uint64_t handle, uint64_t now);

}  // namespace steptrace::probe
