// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "analyze/report/report.h"

// What a report says of its run as a whole.
namespace steptrace::analyze {

// [{"name": …, `value`: …}, …]
nlohmann::ordered_json SettingsJson(const std::vector<NamedText>& settings, const char* value);

nlohmann::ordered_json RunJson(const RunSection& run);                        // the value of "run"
nlohmann::ordered_json FailureJson(const RunFailure& failure);                // of "failure"
nlohmann::ordered_json CardJson(const RunSection& run, const RunCard& card);  // of "run_card"

}  // namespace steptrace::analyze
