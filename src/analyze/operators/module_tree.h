// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/operators/module_rows.h"

namespace steptrace::analyze {

// `at`: the place that calls it, "file:line"; empty: not reported.
struct CalledModule {
  std::string module;
  std::string at = {};

  std::string Name() const { return at.empty() ? module : module + " (" + at + ")"; }
  bool operator==(const CalledModule&) const = default;
};

// The rows of a rank's modules while they grow: a node is a name under a parent.
class ModuleTree {
 public:
  // The node of a module under a parent, kNone: at the root. Made if it is new.
  int32_t Node(int32_t parent, const CalledModule& called);
  ModuleRow& operator[](int32_t node) { return rows_[static_cast<size_t>(node)]; }
  bool empty() const { return rows_.empty(); }
  // Adds self times to the totals of each node and of those around it: for times that were counted
  // as self alone.
  void SumUp(ModuleTimes ModuleRow::*times);
  // In depth-first order, children in the order in which they were made.
  std::vector<ModuleRow> Take();

 private:
  std::map<std::pair<int32_t, std::string>, int32_t, std::less<>> nodes_;
  std::vector<ModuleRow> rows_;
};

// The modules around an operator, outermost first, from its details: of "Module Hierarchy", or of
// the frames of "Call stack". Empty: not reported.
std::vector<CalledModule> HierarchyPath(std::string_view details);
std::vector<CalledModule> StackPath(std::string_view details);

}  // namespace steptrace::analyze
