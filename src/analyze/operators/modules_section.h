// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "analyze/operators/module_rows.h"
#include "analyze/operators/operator_tree.h"
#include "analyze/trace/trace.h"

namespace steptrace::analyze {

ModulesSection BuildModules(const Trace& trace, std::span<const OperatorTree> trees);
ModulesSection BuildModules(const Trace& trace);

// The value of "modules": the rows of all ranks, one after the other; `parent` counts in the rank.
nlohmann::ordered_json ModulesJson(const ModulesSection& section);

}  // namespace steptrace::analyze
