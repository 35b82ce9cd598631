// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Which events NCCL tells: a word of NCCL's own, given with each communicator and read by it at
// each call. Steps of the proxy are reported in windows of kernels alone: they come by the hundred
// for a large collective. Any thread.
namespace steptrace::probe {

// Sets the word for a communicator that begins, which keeps it until LeaveNcclMask.
void JoinNcclMask(int32_t* mask, int32_t wanted);
// The communicator goes, and with the last one the word may.
void LeaveNcclMask(int32_t* mask);

// As a window of kernels begins, and as it ends.
void EnableNcclSteps(bool wanted);

}  // namespace steptrace::probe
