// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyze/critical_path/path_graph.h"
#include "analyze/critical_path/path_section.h"

// What the window and its mean step would take without a stage, or with half of it. The graph is
// replayed: each event begins as soon as what it waited for allows, and causes that are kept
// (IsKept) last as long as they did. For the mean step all steps are replayed together, without
// what lies between them: steps gain from each other as they would, and add up to the window.
namespace steptrace::analyze {

// Of the stages that the path holds most of; most gain first.
std::vector<WhatIf> FindWhatIfs(const PathGraph& graph, const PathOf& window,
                                const std::vector<PathOf>& steps);

}  // namespace steptrace::analyze
