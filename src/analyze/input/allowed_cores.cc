// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/allowed_cores.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/core_list.h"
#include "store/metadata_json.h"
#include "store/metadata_keys.h"

namespace steptrace::analyze {
namespace {

using Process = std::pair<int32_t, int64_t>;  // node, pid

// Of each process as it was told last.
std::map<Process, std::set<int32_t>> ReadFacts(std::span<const store::RunMetadataRow> facts,
                                               const store::StringTable& strings) {
  std::map<Process, std::set<int32_t>> reported;
  std::map<Process, int64_t> when;
  for (const store::RunMetadataRow& row : facts) {
    if (strings.Text(row.kind) != store::MetadataKind::kAllowedCores) continue;
    const nlohmann::json fact = store::ParseMetadata(row.json);
    if (fact.is_null()) continue;
    const nlohmann::json* list = store::Find(fact, store::MetadataKey::kCores);
    if (list == nullptr || !list->is_string()) continue;
    std::set<int32_t> cores = ReadCoreList(list->get<std::string>());
    if (cores.empty()) continue;
    const Process process = {row.node, row.pid};
    const auto [last, first] = when.try_emplace(process, row.ts_ns);
    if (!first && row.ts_ns < last->second) continue;
    last->second = row.ts_ns;
    reported[process] = std::move(cores);
  }
  return reported;
}

}  // namespace

AllowedCores::AllowedCores(const RunInfo& run, std::span<const store::RunMetadataRow> facts,
                           const store::StringTable& strings) {
  const auto reported = ReadFacts(facts, strings);
  std::map<int32_t, std::set<int32_t>> of_all;
  for (const auto& [process, cores] : reported) {
    of_all[process.first].insert(cores.begin(), cores.end());
  }
  const auto add = [&](int32_t node, int64_t pid) {
    const auto own = reported.find({node, pid});
    if (own == reported.end() && !of_all.contains(node)) return;
    // Of one of which nothing is told, they are those of some process before it.
    const std::set<int32_t>& cores = own != reported.end() ? own->second : of_all.at(node);
    by_node_[node].insert(cores.begin(), cores.end());
  };
  for (const RankProcess& rank : run.rank_processes) add(rank.node, rank.pid);
  ByNode of_workers;
  std::set<int32_t> as_their_rank;  // nodes that have such workers
  for (const LoaderWorker& worker : run.workers) {
    const auto own = reported.find({worker.node, worker.pid});
    if (own == reported.end()) {
      as_their_rank.insert(worker.node);
      continue;
    }
    of_workers[worker.node].insert(own->second.begin(), own->second.end());
  }
  for (auto& [node, cores] : of_workers) {
    std::set<int32_t>& of_ranks = by_node_[node];
    const bool fewer = std::ranges::includes(of_ranks, cores) && cores.size() < of_ranks.size();
    of_ranks.insert(cores.begin(), cores.end());
    if (fewer && !as_their_rank.contains(node)) of_workers_[node] = std::move(cores);
  }
}

int32_t AllowedCores::CountOn(int32_t node, int32_t cores) const {
  const auto allowed = by_node_.find(node);
  if (allowed == by_node_.end()) return cores;
  return std::min(cores, static_cast<int32_t>(allowed->second.size()));
}

std::optional<std::vector<int32_t>> AllowedCores::Among(int32_t node,
                                                        std::span<const int32_t> cores) const {
  return Among(by_node_, node, cores);
}

std::optional<std::vector<int32_t>> AllowedCores::OfWorkersAmong(
    int32_t node, std::span<const int32_t> cores) const {
  return Among(of_workers_, node, cores);
}

std::optional<std::vector<int32_t>> AllowedCores::Among(const ByNode& by_node, int32_t node,
                                                        std::span<const int32_t> cores) {
  const auto allowed = by_node.find(node);
  if (allowed == by_node.end()) return std::nullopt;
  std::vector<int32_t> those;
  for (const int32_t core : cores) {
    if (allowed->second.contains(core)) those.push_back(core);
  }
  if (those.empty() || those.size() == cores.size()) return std::nullopt;
  return those;
}

}  // namespace steptrace::analyze
