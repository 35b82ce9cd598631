// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analyze/device/device_times.h"
#include "analyze/trace/tensor_cores.h"
#include "analyze/trace/trace.h"

// What each device did: the report's `devices` and `roles`. Times are exact, in ns.
namespace steptrace::analyze {

DevicesSection BuildDevices(const Trace& trace, const TensorCorePatterns& patterns = {});

// Sets the members `roles` and `devices`.
void AddDevicesJson(const DevicesSection& section, nlohmann::ordered_json& report);

}  // namespace steptrace::analyze
