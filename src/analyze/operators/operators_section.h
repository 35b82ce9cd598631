// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyze/operators/operator_tree.h"
#include "analyze/operators/step_time.h"
#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// Sums over calls of operators (docs/reference/operators.md). A call within a call of the same
// name counts with both, as in torch-tb-profiler; only self times add up.
struct OperatorSums {
  int64_t calls = 0;
  int64_t host_total_ns = 0;
  int64_t host_self_ns = 0;
  int64_t device_total_ns = 0;
  int64_t device_self_ns = 0;
  int64_t kernel_total_ns = 0;
  int64_t kernel_self_ns = 0;
  int64_t tensor_core_total_ns = 0;
  int64_t tensor_core_self_ns = 0;
  int64_t host_self_in_steps_ns = 0;    // of host_self_ns that of calls in a step
  int64_t device_self_in_steps_ns = 0;  // of device_self_ns
  bool tensor_core_eligible = false;

  OperatorSums& operator+=(const OperatorSums& other);
  // Of kernel time, that on tensor cores; none without kernels.
  std::optional<double> tensor_core_total_share() const;
  std::optional<double> tensor_core_self_share() const;
};

// The calls of an operator with one set of input shapes, or from one place.
struct OperatorVariant {
  std::string key;  // a JSON list of shapes; or frames, innermost first, joined by ';'
  OperatorSums sums;
  double host_self_share = 0;  // as its row's
  double device_self_share = 0;
};

struct OperatorRow {
  int32_t rank = kNone;  // kNone: all ranks together
  std::string name;
  OperatorSums sums;
  double host_self_share = 0;           // of the own time of all operators of the rank
  double device_self_share = 0;         // 0 where no operator used a device
  StepTime steps;                       // of the rank, or of all: what its times in steps are of
  std::vector<OperatorVariant> shapes;  // empty where no shapes were recorded
  std::vector<OperatorVariant> stacks;  // empty where no call stacks were recorded
};

struct OperatorTotals {
  int32_t rank = kNone;
  StepTime steps;
  OperatorSums sums;  // own times of all operators; the totals hold what nests many times
  // Work of devices that no operator launched, as far as the profile tells.
  int64_t device_outside_ns = 0;
};

struct OperatorsSection {
  // By rank; then the most own device time first, where there is none the most own host time.
  std::vector<OperatorRow> rows;
  // The same rows of all ranks together, without variants. One rank: empty.
  std::vector<OperatorRow> all_ranks;
  std::vector<OperatorTotals> totals;  // by rank
};

OperatorsSection BuildOperators(const Trace& trace, std::span<const OperatorTree> trees);
OperatorsSection BuildOperators(const Trace& trace);

// Sets "operators" and "operator_totals".
void AddOperatorsJson(const OperatorsSection& section, nlohmann::ordered_json& report);

}  // namespace steptrace::analyze
