// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "analyze/input/report_input.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::analyze {

// The cores of each node that its ranks and their workers may run on, by the facts of kind
// `allowed_cores` (agent/ingest/system_feed.cc). Affinity and cpuset are in one list.
class AllowedCores {
 public:
  AllowedCores() = default;
  AllowedCores(const RunInfo& run, std::span<const store::RunMetadataRow> facts,
               const store::StringTable& strings);

  // Whether some of the node's processes told where they may run.
  bool KnowsOf(int32_t node) const { return by_node_.contains(node); }
  // Those of `cores` that the training may run on. Nothing: all of them, or it was not reported.
  std::optional<std::vector<int32_t>> Among(int32_t node, std::span<const int32_t> cores) const;
  // The same of its workers alone, where all of them may run on fewer than their ranks: some
  // libraries bind a process to a core, and what it starts with it.
  std::optional<std::vector<int32_t>> OfWorkersAmong(int32_t node,
                                                     std::span<const int32_t> cores) const;
  // How many of `cores` of the node they are; where that is not known, all.
  int32_t CountOn(int32_t node, int32_t cores) const;

 private:
  using ByNode = std::map<int32_t, std::set<int32_t>>;
  static std::optional<std::vector<int32_t>> Among(const ByNode& allowed, int32_t node,
                                                   std::span<const int32_t> cores);

  ByNode by_node_;
  ByNode of_workers_;  // where these are fewer
};

}  // namespace steptrace::analyze
