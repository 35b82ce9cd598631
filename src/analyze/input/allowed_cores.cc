// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/allowed_cores.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "store/metadata_json.h"
#include "store/metadata_keys.h"

namespace steptrace::analyze {
namespace {

constexpr int32_t kMostCores = 1 << 14;  // more than any machine has

std::optional<int32_t> TakeNumber(std::string_view& text) {
  int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || number >= kMostCores) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

bool Take(std::string_view& text, char what) {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(1);
  return true;
}

using Process = std::pair<int32_t, int64_t>;  // node, pid

// Of each process as it was told last.
std::map<Process, std::set<int32_t>> ReadFacts(std::span<const store::RunMetadataRow> facts,
                                               const store::StringTable& strings) {
  std::map<Process, std::set<int32_t>> told;
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
    told[process] = std::move(cores);
  }
  return told;
}

}  // namespace

std::set<int32_t> ReadCoreList(std::string_view list) {
  std::set<int32_t> cores;
  do {
    const auto from = TakeNumber(list);
    const auto to = from && Take(list, '-') ? TakeNumber(list) : from;
    const bool ascends = from && to && *from <= *to && (cores.empty() || *cores.rbegin() < *from);
    if (!ascends) return {};
    for (int32_t core = *from; core <= *to; ++core) cores.insert(core);
  } while (Take(list, ','));
  return list.empty() ? cores : std::set<int32_t>();
}

AllowedCores::AllowedCores(const RunInfo& run, std::span<const store::RunMetadataRow> facts,
                           const store::StringTable& strings) {
  const auto told = ReadFacts(facts, strings);
  std::map<int32_t, std::set<int32_t>> of_all;
  for (const auto& [process, cores] : told) {
    of_all[process.first].insert(cores.begin(), cores.end());
  }
  const auto add = [&](int32_t node, int64_t pid) {
    const auto own = told.find({node, pid});
    if (own == told.end() && !of_all.contains(node)) return;
    // Of one of which nothing is told, they are those of some process before it.
    const std::set<int32_t>& cores = own != told.end() ? own->second : of_all.at(node);
    by_node_[node].insert(cores.begin(), cores.end());
  };
  for (const RankProcess& rank : run.rank_processes) add(rank.node, rank.pid);
  for (const LoaderWorker& worker : run.workers) {
    if (told.contains({worker.node, worker.pid})) add(worker.node, worker.pid);
  }
}

int32_t AllowedCores::CountOn(int32_t node, int32_t cores) const {
  const auto allowed = by_node_.find(node);
  if (allowed == by_node_.end()) return cores;
  return std::min(cores, static_cast<int32_t>(allowed->second.size()));
}

std::optional<std::vector<int32_t>> AllowedCores::Among(int32_t node,
                                                        std::span<const int32_t> cores) const {
  const auto allowed = by_node_.find(node);
  if (allowed == by_node_.end()) return std::nullopt;
  std::vector<int32_t> those;
  for (const int32_t core : cores) {
    if (allowed->second.contains(core)) those.push_back(core);
  }
  if (those.empty() || those.size() == cores.size()) return std::nullopt;
  return those;
}

}  // namespace steptrace::analyze
