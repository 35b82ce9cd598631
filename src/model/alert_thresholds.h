// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/alerts.toml.
#pragma once

#include <array>

namespace steptrace::model {

// clang-format off
// Above which the agent reports something during a run. The unit ends the name.
struct AlertThresholds {
  double hang_s = 10;
  double hang_steps = 5;
  double hang_unknown_s = 60;
  double hang_outside_s = 300;
  double step_rise_percent = 5;
  double memory_growth_mb_per_hour = 0;

  bool operator==(const AlertThresholds&) const = default;
};

struct AlertThreshold {
  const char* id;
  const char* key;  // of steptrace.toml
  const char* variable;
  const char* unit;
  double least;
  double most;
  const char* sentence;
  double AlertThresholds::*value;
};

inline constexpr std::array<AlertThreshold, 6> kAlertThresholds = {{
    {"hang_s", "alert_hang_s", "STEPTRACE_ALERT_HANG_S", "seconds", 1, 86400, "Shortest time without progress that is reported as a hang. In seconds, 1 to 86400.", &AlertThresholds::hang_s},
    {"hang_steps", "alert_hang_steps", "STEPTRACE_ALERT_HANG_STEPS", "steps", 1, 1000, "A hang is also longer than this many usual steps. In steps, 1 to 1000.", &AlertThresholds::hang_steps},
    {"hang_unknown_s", "alert_hang_unknown_s", "STEPTRACE_ALERT_HANG_UNKNOWN_S", "seconds", 1, 86400, "Shortest hang in code that no hook covers. In seconds, 1 to 86400.", &AlertThresholds::hang_unknown_s},
    {"hang_outside_s", "alert_hang_outside_s", "STEPTRACE_ALERT_HANG_OUTSIDE_S", "seconds", 1, 86400, "Shortest hang in one wait outside of usual steps (evaluation, checkpoint, a new iterator). In seconds, 1 to 86400.", &AlertThresholds::hang_outside_s},
    {"step_rise_percent", "alert_step_rise_percent", "STEPTRACE_ALERT_STEP_RISE_PERCENT", "percent", 1, 1000, "Smallest lasting rise of the step time that is reported. A rise that may be chance is not reported, whatever the value. In percent, 1 to 1000.", &AlertThresholds::step_rise_percent},
    {"memory_growth_mb_per_hour", "alert_memory_growth_mb_per_hour", "STEPTRACE_ALERT_MEMORY_GROWTH_MB_PER_HOUR", "MB per hour", 0, 1000000, "Slowest leak that is reported during the run; 0: every leak that is certain. In MB per hour, 0 to 1000000.", &AlertThresholds::memory_growth_mb_per_hour},
}};
// clang-format on

}  // namespace steptrace::model
