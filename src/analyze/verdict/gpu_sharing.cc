// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/gpu_sharing.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace steptrace::analyze {
namespace {

constexpr size_t kMostNamed = 4;  // of ranks and of GPUs, in sentences
constexpr int64_t kMostProcesses = 1 << 16;

std::string TextOf(const nlohmann::json& fact, const char* key) {
  const auto found = fact.find(key);
  return found != fact.end() && found->is_string() ? found->get<std::string>() : std::string();
}

int64_t CountOf(const nlohmann::json& fact, const char* key) {
  const auto found = fact.find(key);
  if (found == fact.end() || !found->is_number_integer()) return 0;
  return std::clamp<int64_t>(found->get<int64_t>(), 0, kMostProcesses);
}

std::string RanksText(const std::set<int32_t>& ranks) {
  std::string text;
  size_t named = 0;
  for (const int32_t rank : ranks) {
    if (named == kMostNamed && ranks.size() > kMostNamed + 1) {
      return text + fmt::format(" and {} more", ranks.size() - named);
    }
    ++named;
    text += fmt::format("{}{}", named == 1 ? "" : named == ranks.size() ? " and " : ", ", rank);
  }
  return text;
}

}  // namespace

std::string_view BareUuid(std::string_view uuid) {
  constexpr std::string_view kPrefix = "GPU-";
  if (uuid.starts_with(kPrefix)) uuid.remove_prefix(kPrefix.size());
  return uuid;
}

void GpuSharing::ReadDevice(const nlohmann::json& fact, const store::FactRow& row) {
  // Of a profile from elsewhere nothing tells the identity.
  if (row.rank < 0 || !fact.contains("uuid")) return;
  devices_[row.rank] = {row.node, std::string(BareUuid(TextOf(fact, "uuid"))),
                        TextOf(fact, "name")};
}

void GpuSharing::ReadGpu(const nlohmann::json& fact, const store::FactRow& row) {
  Gpu& gpu = gpus_[row.node][CountOf(fact, "device")];
  gpu.uuid = BareUuid(TextOf(fact, "uuid"));
  gpu.processes = std::max(gpu.processes, CountOf(fact, "processes"));
  gpu.ours = std::max(gpu.ours, CountOf(fact, "ours"));
  gpu.others = std::max(gpu.others, CountOf(fact, "others"));
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

std::vector<std::string> GpuSharing::Others() const {
  constexpr const char* kNotAlone = "the GPU's utilisation, memory and idle time";
  std::vector<std::string> texts;
  std::map<int32_t, NodeRanks> by_node = RanksByNode();
  for (const auto& [node, gpus] : gpus_) {
    const std::map<int64_t, int64_t> ranks_on = RanksOnEach(gpus, by_node[node]);
    for (const auto& [number, gpu] : gpus) {
      const std::string name = gpus_.size() > 1 ? fmt::format("GPU {} of node {}", number, node)
                                                : fmt::format("GPU {}", number);
      const int64_t ranks = ranks_on.at(number);
      if (gpu.others > 0) {
        texts.push_back(fmt::format(
            "{} of others {} on {} beside this run: {} are not this run's "
            "alone",
            gpu.others == 1 ? "a process" : fmt::format("up to {} processes", gpu.others),
            gpu.others == 1 ? "was" : "were", name, kNotAlone));
      } else if (gpu.ours == 0 && ranks > 0 && gpu.processes > ranks) {
        texts.push_back(fmt::format(
            "up to {} processes were on {}, where this run has {} rank{}; whose the others are "
            "cannot "
            "be told here (numbers of another pid namespace): {} may not be this run's alone",
            gpu.processes, name, ranks, ranks == 1 ? "" : "s", kNotAlone));
      }
      if (texts.size() == kMostNamed) return texts;
    }
  }
  return texts;
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

std::vector<std::string> GpuSharing::RanksTogether() const {
  std::map<std::string, std::set<int32_t>> by_uuid;
  for (const auto& [rank, device] : devices_) {
    if (!device.uuid.empty()) by_uuid[device.uuid].insert(rank);
  }
  std::vector<std::string> texts;
  for (const auto& [uuid, ranks] : by_uuid) {
    if (ranks.size() < 2) continue;
    const std::string& name = devices_.at(*ranks.begin()).name;
    texts.push_back(
        fmt::format("ranks {} compute on one GPU{}: where one of them leaves it idle, "
                    "another may be at work",
                    RanksText(ranks), name.empty() ? "" : fmt::format(" ({})", name)));
    if (texts.size() == kMostNamed) break;
  }
  return texts;
}

}  // namespace steptrace::analyze
