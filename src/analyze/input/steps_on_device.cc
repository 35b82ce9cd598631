// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/steps_on_device.h"

namespace steptrace::analyze {

int64_t StepOnDevice::BusyNs() const {
  return Of(DevicePhase::kForward) + Of(DevicePhase::kBackward) + Of(DevicePhase::kOptimizer);
}

}  // namespace steptrace::analyze
