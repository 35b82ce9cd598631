// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/alert_settings.h"

// The thresholds of what is reported during a run (schema/alerts.toml): whether a value is one.
namespace steptrace::cli {

Status SetThreshold(const model::AlertThreshold& threshold, double value,
                    model::AlertThresholds& thresholds);

// Of profiler rules, "Rule.parameter=value", several with commas.
Status AddAlertRules(std::string_view assignments, std::vector<std::string>& rules);

// Either: "hang_s=30", "LowGPUUtilization.threshold_p95=70".
Status SetAlert(std::string_view assignment, model::AlertSettings& alerts);

}  // namespace steptrace::cli
