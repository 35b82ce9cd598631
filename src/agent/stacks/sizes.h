// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Of the processes that are read: 64-bit ones of this machine's kind.
namespace steptrace::agent {

inline constexpr uint64_t kPointerBytes = 8;
inline constexpr uint64_t kPageBytes = 4096;

}  // namespace steptrace::agent
