// SPDX-License-Identifier: Apache-2.0
// What several manifests of writers say together.
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "store/merged_identity.h"
#include "store/written_manifests.h"

namespace steptrace::store {
namespace {

std::string StatusOfAll(const std::vector<Manifest>& writers) {
  static constexpr const char* kWorstFirst[] = {kStatusInProgress, kStatusFailed,
                                                kStatusInterrupted, kStatusStopped, ""};
  for (const char* status : kWorstFirst) {
    const auto has = [&](const Manifest& manifest) { return manifest.status == status; };
    if (std::any_of(writers.begin(), writers.end(), has)) return status;
  }
  return kStatusCompleted;
}

RunIdentity IdentityOfAll(const std::vector<Manifest>& writers) {
  std::vector<RunIdentity> identities;
  std::transform(writers.begin(), writers.end(), std::back_inserter(identities),
                 [](const Manifest& writer) { return writer.identity; });
  return MergedIdentity(identities);
}

// The numbers that a writer uses, of nodes that it names and of rows alone.
std::set<int32_t> NodesOf(const Manifest& writer) {
  std::set<int32_t> nodes;
  for (const NodeInfo& node : writer.nodes) nodes.insert(node.node);
  for (const RankInfo& rank : writer.ranks) nodes.insert(rank.node);
  for (const auto& [folder, node] : writer.journal_nodes) nodes.insert(node);
  for (const auto& [table, parts] : writer.tables) {
    for (const SegmentInfo& segment : parts.segments) nodes.insert(segment.node);
  }
  return nodes;
}

// By node; of one that is named twice the first.
std::map<int32_t, std::string> HostsOf(const Manifest& writer) {
  std::map<int32_t, std::string> hosts;
  for (const NodeInfo& node : writer.nodes) hosts.emplace(node.node, node.host);
  return hosts;
}

// Puts writers together, one after the other. A manifest may name as many ranks as it likes: each
// costs the same.
class Union {
 public:
  explicit Union(Manifest first) : all_(std::move(first)) {
    all_.writer.clear();
    all_.nodes.clear();
    all_.ranks.clear();
    all_.tables.clear();
    all_.journal_nodes.clear();
    all_.first_number = 0;
    all_.damaged.clear();
  }

  void Add(Manifest writer, NodeNumbers& numbers) {
    AddNodes(std::move(writer.nodes), numbers);
    AddRanks(std::move(writer.ranks), numbers);
    AddTables(std::move(writer.tables), numbers);
    for (const auto& [folder, node] : writer.journal_nodes)
      all_.journal_nodes[folder] = numbers[node];
    all_.versions.merge(writer.versions);
    all_.damaged.insert(all_.damaged.end(), writer.damaged.begin(), writer.damaged.end());
    if (writer.end_ns) all_.end_ns = std::max(all_.end_ns.value_or(0), *writer.end_ns);
    if (all_.exit_code.value_or(0) == 0) all_.exit_code = writer.exit_code;
    if (!all_.signal) all_.signal = writer.signal;
  }

  Manifest Take() { return std::move(all_); }

 private:
  void AddNodes(std::vector<NodeInfo> more, NodeNumbers& numbers) {
    for (NodeInfo& node : more) {
      node.node = numbers[node.node];
      if (nodes_.insert(node.node).second) all_.nodes.push_back(std::move(node));
    }
  }

  // Of a rank that several name, the last counts.
  void AddRanks(std::vector<RankInfo> more, NodeNumbers& numbers) {
    for (RankInfo& rank : more) {
      rank.node = numbers[rank.node];
      const auto [place, is_new] = ranks_.emplace(rank.rank, all_.ranks.size());
      if (is_new) {
        all_.ranks.push_back(std::move(rank));
      } else {
        all_.ranks[place->second] = std::move(rank);
      }
    }
  }

  void AddTables(std::map<std::string, TableParts> more, NodeNumbers& numbers) {
    for (auto& [name, parts] : more) {
      TableParts& all = all_.tables[name];
      for (SegmentInfo& segment : parts.segments) {
        segment.node = numbers[segment.node];
        all.segments.push_back(std::move(segment));
      }
      all.absorbed_journals.merge(parts.absorbed_journals);
    }
  }

  Manifest all_;
  std::set<int32_t> nodes_;
  std::map<int32_t, size_t> ranks_;  // where in all_.ranks
};

}  // namespace

std::vector<NodeNumbers> NumberNodes(const std::vector<Manifest>& writers) {
  std::vector<NodeNumbers> all;
  std::map<std::string, int32_t> of_hosts;
  int32_t next = 0;
  for (const Manifest& writer : writers) {
    NodeNumbers& numbers = all.emplace_back();
    const std::map<int32_t, std::string> hosts = HostsOf(writer);
    std::map<std::string, int32_t> of_own_hosts;
    for (const int32_t node : NodesOf(writer)) {
      const auto host = hosts.find(node);
      const bool named = host != hosts.end() && !host->second.empty();
      // One writer's nodes stay apart: the first of a host is the one that others know.
      const auto known = named && !of_own_hosts.contains(host->second) ? of_hosts.find(host->second)
                                                                       : of_hosts.end();
      numbers[node] = writers.size() == 1 ? node : known != of_hosts.end() ? known->second : next++;
      if (named) of_own_hosts.emplace(host->second, numbers[node]);
    }
    of_hosts.merge(of_own_hosts);
  }
  return all;
}

Manifest UnionOf(std::vector<Manifest> writers) {
  if (writers.size() == 1) return std::move(writers.front());
  std::vector<NodeNumbers> numbers = NumberNodes(writers);
  Union all(writers.front());
  std::string status = StatusOfAll(writers);
  RunIdentity identity = IdentityOfAll(writers);
  for (size_t i = 0; i < writers.size(); ++i) all.Add(std::move(writers[i]), numbers[i]);
  Manifest manifest = all.Take();
  manifest.status = std::move(status);
  manifest.identity = std::move(identity);
  return manifest;
}

}  // namespace steptrace::store
