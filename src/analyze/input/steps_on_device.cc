// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/steps_on_device.h"

#include <numeric>

namespace steptrace::analyze {

int64_t StepOnDevice::BusyNs() const {
  return Of(DevicePhase::kForward) + Of(DevicePhase::kBackward) + Of(DevicePhase::kOptimizer);
}

int64_t StepOnDevice::KnownNs() const {
  return std::accumulate(ns.begin(), ns.end(), int64_t{0});
}

}  // namespace steptrace::analyze
