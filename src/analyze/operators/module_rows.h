// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/trace/trace.h"

// What the report says of modules. Values.
namespace steptrace::analyze {

// What the tree of modules rests on, the best first.
enum class ModuleSource {
  kNothing,
  kRanges,     // python_function ranges "nn.Module: X"
  kHierarchy,  // "Module Hierarchy" of operators
  kStacks,     // frames named forward in the call stacks of operators: modules by the place that
               // calls them, so that those called in one loop are one
};

struct ModuleTimes {
  int64_t operators = 0;  // calls of operators directly in the module, not in other operators
  int64_t host_total_ns = 0;
  int64_t host_self_ns = 0;  // not in modules nested in it
  int64_t device_total_ns = 0;
  int64_t device_self_ns = 0;

  ModuleTimes& operator+=(const ModuleTimes& other);
};

struct ModuleRow {
  std::string name;        // as it is shown: with the place that calls it, where that is told
  std::string module;      // by itself, as events are named
  int32_t parent = kNone;  // index in the rank's rows
  int32_t depth = 0;
  std::optional<int64_t> occurrences;  // none where only operators tell of modules
  ModuleTimes forward;   // with ranges: the modules' time; else that of the operators in them
  ModuleTimes backward;  // of the operators to which the flows from the forward ones lead
};

struct RankModules {
  int32_t rank = 0;
  ModuleSource source = ModuleSource::kNothing;
  int64_t steps = 0;            // of the script's profiler; 0: averages are not applicable
  bool has_backward = false;    // the profile links forward and backward operators
  std::vector<ModuleRow> rows;  // parents before children, in the order of their first call
};

struct ModulesSection {
  std::vector<RankModules> ranks;
};

}  // namespace steptrace::analyze
