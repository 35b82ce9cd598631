// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/finding.h"
#include "store/stored_words.h"

// Rows of the report's lists that the run's own tables hold: metrics, losses, findings.
namespace steptrace::analyze {

struct SystemRow {
  int32_t node = 0;
  std::optional<int32_t> device;  // of gpu.* metrics
  std::string metric;
  std::string unit;
  double max = 0, p99 = 0, p95 = 0, p50 = 0, min = 0, mean = 0;
  int64_t samples = 0;
  std::vector<double> sparkline;  // at most 24 means over equal time ranges of the run
};

struct LossLine {
  std::string table;
  std::string cause;
  int64_t count = 0;  // -1: not countable
  std::optional<int64_t> from_ns{};
  std::optional<int64_t> to_ns{};
  std::string detail{};                  // as it is stored
  std::optional<model::Finding> said{};  // what that is made of; none: nobody knows more
};

// How a report says what is missing, by its cause.
struct LossWords {
  std::string_view label;                // Lost, Incomplete, Skipped, Changed, Doubtful
  bool counts_itself = false;            // the sentence has the number
  std::string_view one = {}, many = {};  // of what is counted; empty: rows of the table
  bool is_damage = false;                // what was written once can no longer be read
};
LossWords WordsOf(const LossLine& loss);

// A row of `findings`: what the agent noticed while the run went on.
struct FindingLine {
  int64_t ts_ns = 0;
  store::Severity severity = store::Severity::kWarning;
  std::string kind;  // rule, alert
  std::string subject;
  model::Finding said;
};

}  // namespace steptrace::analyze
