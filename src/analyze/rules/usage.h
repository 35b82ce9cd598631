// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analyze/rules/profiling_report.h"
#include "analyze/rules/system_signals.h"

namespace steptrace::analyze {

// How much of each node was used, in the report's order of metrics. In `compat` the values of equal
// times are summed and divided by the number of names on all nodes, as the reference does; in
// `modern` a snapshot is the mean of what was read in it, and never below 0.
std::vector<UsageRow> UsageRows(const SystemSignals& signals, RuleMode mode);

// What the reference's report says of a node by its percentiles.
std::vector<std::string> UsageFindings(const std::vector<UsageRow>& rows);

}  // namespace steptrace::analyze
