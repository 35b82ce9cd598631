// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/alert_thresholds.h"

namespace steptrace::model {

// When the agent reports something during a run: the command line sets it, the agent's observers
// use it.
struct AlertSettings {
  AlertThresholds thresholds{};
  std::vector<std::string> rules{};  // of profiler rules: "Rule.parameter=value"

  bool operator==(const AlertSettings&) const = default;
};

}  // namespace steptrace::model
