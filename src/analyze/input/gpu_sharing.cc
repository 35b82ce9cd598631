// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/gpu_sharing.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "model/finding_kinds.h"
#include "store/metadata_json.h"

namespace steptrace::analyze {

namespace finding = model::finding;
using Key = store::MetadataKey;

namespace {

constexpr size_t kMostNamed = 4;  // of ranks and of GPUs, in sentences
constexpr int64_t kMostProcesses = 1 << 16;

int64_t CountOf(const nlohmann::json& fact, Key key) {
  return std::clamp<int64_t>(store::IntegerOf(fact, key).value_or(0), 0, kMostProcesses);
}

model::Finding RanksOnOne(const std::set<int32_t>& ranks, const std::string& device) {
  if (ranks.size() <= kMostNamed + 1) {
    std::vector<finding::GpuRanksTogether::Item> named;
    for (const int32_t rank : ranks) named.push_back({.rank = rank});
    return Make(finding::GpuRanksTogether{.name = device, .items = std::move(named)});
  }
  std::vector<finding::GpuManyRanksTogether::Item> named;
  for (auto rank = ranks.begin(); named.size() < kMostNamed; ++rank) {
    named.push_back({.rank = *rank});
  }
  return Make(finding::GpuManyRanksTogether{
      .more = ranks.size() - kMostNamed, .name = device, .items = std::move(named)});
}

}  // namespace

std::string_view BareUuid(std::string_view uuid) {
  constexpr std::string_view kPrefix = "GPU-";
  if (uuid.starts_with(kPrefix)) uuid.remove_prefix(kPrefix.size());
  return uuid;
}

void GpuSharing::ReadDevice(const nlohmann::json& fact, const store::RunMetadataRow& row) {
  // Of a profile from elsewhere nothing tells the identity.
  if (row.rank < 0 || !store::Has(fact, Key::kUuid)) return;
  devices_[row.rank] = {row.node, std::string(BareUuid(store::TextOf(fact, Key::kUuid))),
                        store::TextOf(fact, Key::kName)};
}

void GpuSharing::ReadGpu(const nlohmann::json& fact, const store::RunMetadataRow& row) {
  Gpu& gpu = gpus_[row.node][CountOf(fact, Key::kDevice)];
  gpu.uuid = BareUuid(store::TextOf(fact, Key::kUuid));
  gpu.processes = std::max(gpu.processes, CountOf(fact, Key::kProcesses));
  gpu.ours = std::max(gpu.ours, CountOf(fact, Key::kOurs));
  gpu.others = std::max(gpu.others, CountOf(fact, Key::kOthers));
}

// How many ranks are on each of a node's GPUs, by its number. Its only GPU is the one of its ranks.
std::map<int64_t, int64_t> GpuSharing::RanksOnEach(const std::map<int64_t, Gpu>& gpus,
                                                   const NodeRanks& ranks) {
  std::map<int64_t, int64_t> counts;
  for (const auto& [number, gpu] : gpus) {
    const auto of_uuid = ranks.by_uuid.find(gpu.uuid);
    const bool known = !gpu.uuid.empty() && of_uuid != ranks.by_uuid.end();
    counts[number] = known ? of_uuid->second : 0;
    if (gpus.size() == 1) counts[number] += gpu.uuid.empty() ? ranks.all : ranks.without_uuid;
  }
  return counts;
}

std::map<int32_t, GpuSharing::NodeRanks> GpuSharing::RanksByNode() const {
  std::map<int32_t, NodeRanks> by_node;
  for (const auto& [rank, device] : devices_) {
    NodeRanks& ranks = by_node[device.node];
    ++ranks.all;
    ++(device.uuid.empty() ? ranks.without_uuid : ranks.by_uuid[device.uuid]);
  }
  return by_node;
}

std::vector<model::Finding> GpuSharing::Others() const {
  std::vector<model::Finding> found;
  std::map<int32_t, NodeRanks> by_node = RanksByNode();
  for (const auto& [node, gpus] : gpus_) {
    const std::map<int64_t, int64_t> ranks_on = RanksOnEach(gpus, by_node[node]);
    for (const auto& [number, gpu] : gpus) {
      const auto named_node = gpus_.size() > 1 ? std::optional<int64_t>(node) : std::nullopt;
      const int64_t ranks = ranks_on.at(number);
      if (gpu.others > 0) {
        found.push_back(Make(
            finding::GpuSharedWithOthers{.others = gpu.others, .gpu = number, .node = named_node}));
      } else if (gpu.ours == 0 && ranks > 0 && gpu.processes > ranks) {
        found.push_back(Make(finding::GpuUnknownProcesses{
            .processes = gpu.processes, .gpu = number, .node = named_node, .ranks = ranks}));
      }
      if (found.size() == kMostNamed) return found;
    }
  }
  return found;
}

std::map<int32_t, int32_t> GpuSharing::NumberOfRanks() const {
  std::map<int32_t, int32_t> numbers;
  std::map<std::pair<int32_t, std::string_view>, int32_t> by_uuid;  // of those alike the last
  for (const auto& [node, gpus] : gpus_) {
    for (const auto& [number, gpu] : gpus) by_uuid[{node, gpu.uuid}] = static_cast<int32_t>(number);
  }
  for (const auto& [rank, device] : devices_) {
    const auto found = by_uuid.find({device.node, device.uuid});
    if (!device.uuid.empty() && found != by_uuid.end()) numbers[rank] = found->second;
  }
  return numbers;
}

std::vector<model::Finding> GpuSharing::RanksTogether() const {
  std::map<std::string, std::set<int32_t>> by_uuid;
  for (const auto& [rank, device] : devices_) {
    if (!device.uuid.empty()) by_uuid[device.uuid].insert(rank);
  }
  std::vector<model::Finding> found;
  for (const auto& [uuid, ranks] : by_uuid) {
    if (ranks.size() < 2) continue;
    found.push_back(RanksOnOne(ranks, devices_.at(*ranks.begin()).name));
    if (found.size() == kMostNamed) break;
  }
  return found;
}

}  // namespace steptrace::analyze
