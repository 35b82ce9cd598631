// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace steptrace::analyze {

// What the time of a time range of the critical path went to.
enum class PathCause : uint8_t {
  kHost,
  kData,
  kLaunch,
  kCompute,
  kMemory,
  kCommunication,
  kSynchronisation,
  kDeviceGap,    // between device work, with no cause that the profile shows
  kNotRecorded,  // before anything that the profile holds
  kNotLinked,    // before what the profile does not tell the launch or the start of
};
inline constexpr int kPathCauses = 10;
const char* NameOf(PathCause cause);
// Nobody knows what would make it shorter.
inline bool IsKept(PathCause cause) {
  return cause == PathCause::kDeviceGap || cause == PathCause::kNotRecorded ||
         cause == PathCause::kNotLinked;
}

using PathSums = std::array<int64_t, kPathCauses>;  // ns, by cause

}  // namespace steptrace::analyze
