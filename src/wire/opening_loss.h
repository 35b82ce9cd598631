// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "wire/stack_control.h"

// Records that threads made while another one was still making the process's ring file, and that no
// ring could take: a counter in the header page behind the agent's words. Written by any thread of
// the process (relaxed; it only grows) once there is a file.
namespace steptrace::wire {

inline constexpr uint64_t kOpeningLossOffset = kStackControlOffset + sizeof(StackControl);
static_assert(kOpeningLossOffset % sizeof(uint64_t) == 0);
static_assert(kOpeningLossOffset + sizeof(uint64_t) <= kHeaderBytes);

}  // namespace steptrace::wire
