// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "analyze/critical_path/path_section.h"
#include "analyze/trace/trace.h"

// The chain of what waited for what that fills a window, from its end back to its begin. Its
// time ranges sum to the window exactly. A value.
namespace steptrace::analyze {

struct CriticalPathOptions {
  size_t top = 200;
};

CriticalPathSection BuildCriticalPath(const Trace& trace, const CriticalPathOptions& options = {});

// The JSON form: `critical_path` of the report.
nlohmann::ordered_json CriticalPathToJson(const CriticalPathSection& section);
void AddCriticalPathJson(const CriticalPathSection& section, nlohmann::ordered_json& report);

}  // namespace steptrace::analyze
