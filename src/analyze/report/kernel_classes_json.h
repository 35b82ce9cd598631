// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analyze/device/kernel_class_times.h"

namespace steptrace::analyze {

// The value of "kernel_classes".
nlohmann::ordered_json KernelClassesJson(const KernelClassTimes& times);

}  // namespace steptrace::analyze
