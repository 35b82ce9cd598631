// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyze/input/report_input.h"
#include "analyze/input/run_phases.h"
#include "analyze/stages/stage_row.h"
#include "model/finding.h"

// What a run costs, what each suspect's part of that is, and which of the machines that the user
// listed would still hold what was used. No prices are built in: they change.
namespace steptrace::analyze {

// A type of machine as the settings list it (steptrace.toml, [[instances]]).
struct InstanceType {
  std::string name;
  int32_t cores = 0;
  double memory_gib = 0;
  int32_t gpus = 0;
  double gpu_memory_gib = 0;  // of each; 0: not said
  std::string gpu;            // its model; empty: not said
  double price_per_hour = 0;
};

// The 95th percentiles of one node.
struct NodeUse {
  int32_t node = 0;
  double cores = 0;  // of the machine; 0: not known
  int32_t gpus = 0;
  int32_t ranks = 0;  // processes that train there; 0: not known
  std::optional<double> cores_p95;
  std::optional<double> gpus_p95;  // 0.5: half a GPU's time, of all its GPUs
  std::optional<double> memory_p95_gib;
  std::optional<double> memory_p95_share;
  std::optional<double> gpu_memory_p95_share;  // of the fullest GPU
};

struct CostInput {
  int64_t duration_ns = 0;
  PhasesSection phases;
  int64_t steps_ns = 0;              // of the training steps, of the rank with most
  std::vector<SuspectRow> suspects;  // shares of these
  std::vector<NodeUse> use;
  int32_t nodes = 1;
  std::optional<double> price_per_hour;  // of the whole job; goes before the types' prices
  std::string instance;                  // the type that it ran on; empty: found by its size
  std::vector<InstanceType> types;
};

struct CostPart {
  std::string name;
  double share = 0;  // of the whole run's cost
  double money = 0;
};

enum class AlternativeKind : uint8_t {
  kSameNodes,  // each node is replaced by one
  kFewest,     // as few as the GPUs need
};

struct Alternative {
  AlternativeKind kind = AlternativeKind::kSameNodes;
  std::string instance;
  int32_t count = 0;
  double price_per_hour = 0;  // of all of them
  double money = 0;           // of a run as long as this one
  std::optional<double> saving_share;
  std::vector<model::Finding> reasons;
};

struct CostSection {
  bool applicable = false;
  std::optional<model::Finding> reason;  // why not
  std::string instance;                  // that the run had; empty: not known
  int32_t count = 0;
  double price_per_hour = 0;
  double money = 0;
  std::vector<CostPart> phases;    // initialization, training, finalization
  std::vector<CostPart> suspects;  // of the training steps, by their shares of the whole run
  std::vector<NodeUse> use;
  std::vector<Alternative> alternatives;
  std::vector<model::Finding> notes;
};

std::vector<NodeUse> MeasureUse(std::span<const CounterSeries> counters,
                                std::span<const store::NodeInfo> nodes,
                                const store::PackedSteps& steps);
CostSection BuildCostSection(const CostInput& input);

nlohmann::ordered_json CostJson(const CostSection& section);

}  // namespace steptrace::analyze
