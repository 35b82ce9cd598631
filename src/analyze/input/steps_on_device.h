// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

// What a device did in each step, as far as events at the boundaries of phases tell it.
namespace steptrace::analyze {

enum class DevicePhase : uint8_t { kForward, kBackward, kOptimizer, kData, kOther };
inline constexpr size_t kDevicePhaseCount = 5;
inline constexpr std::array<const char*, kDevicePhaseCount> kDevicePhaseNames = {
    "forward", "backward", "optimizer", "data", "other"};

// One step of a rank. The parts of phases that lie in it, and never more than it is long.
struct StepOnDevice {
  std::array<int64_t, kDevicePhaseCount> ns{};
  // Forwards, backwards and optimizer steps that ended in it and of which it is known how far the
  // device was behind the host then; those in which it had caught up.
  int32_t ended = 0;
  int32_t caught_up = 0;

  int64_t Of(DevicePhase phase) const { return ns[static_cast<size_t>(phase)]; }
  // In forward, backward or optimizer.
  int64_t BusyNs() const;
};

// By rank and begin of the step: an evaluation has the number of the step that it lies in.
using StepsOnDevice = std::map<std::pair<int32_t, int64_t>, StepOnDevice>;

}  // namespace steptrace::analyze
