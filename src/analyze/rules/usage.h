// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/input/system_signals.h"
#include "analyze/rules/rule_catalogue.h"
#include "model/finding.h"

namespace steptrace::analyze {

struct UsageRow {
  int32_t node = 0;
  std::string metric;  // Network, GPU, CPU, CPU memory, GPU memory, I/O
  std::string unit;    // percentage or bytes
  double max = 0, p99 = 0, p95 = 0, p50 = 0, p5 = 0, min = 0;
};

// How much of each node was used, in the report's order of metrics. In `compat` the values of equal
// times are summed and divided by the number of names on all nodes, as the reference does; in
// `modern` a snapshot is the mean of what was read in it, and never below 0.
std::vector<UsageRow> UsageRows(const SystemSignals& signals, RuleMode mode);

// What the reference's report says of a node by its percentiles.
std::vector<model::Finding> UsageFindings(const std::vector<UsageRow>& rows);

}  // namespace steptrace::analyze
