// SPDX-License-Identifier: Apache-2.0
#include "analyze/tensors/tensor_recording.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "base/saturating.h"
#include "store/metadata_json.h"

namespace steptrace::analyze {
namespace {

using Key = store::MetadataKey;

constexpr size_t kMostWords = 64;
constexpr size_t kMostWordBytes = 200;

void Raise(std::optional<int64_t>& most, std::optional<int64_t> value) {
  if (value && *value > 0) most = std::max(most.value_or(*value), *value);
}

// Of a reading and the steps until the next one.
std::optional<double> ShareOf(std::optional<int64_t> cost, std::optional<int64_t> every,
                              std::optional<int64_t> step) {
  if (!cost || !step || !every || *cost < 0 || *step <= 0 || *every <= 0) return std::nullopt;
  return static_cast<double>(*cost) / (static_cast<double>(*every) * static_cast<double>(*step));
}

std::optional<double> CostShare(const nlohmann::json& fact) {
  const auto step = store::IntegerOf(fact, Key::kStepNs);
  const auto share =
      ShareOf(store::IntegerOf(fact, Key::kCostNs), store::IntegerOf(fact, Key::kEvery), step);
  const auto of_loss = ShareOf(store::IntegerOf(fact, Key::kLossCostNs),
                               store::IntegerOf(fact, Key::kLossEvery), step);
  return share ? *share + of_loss.value_or(0) : of_loss;
}

void AddRoles(const nlohmann::json& fact, std::set<std::string>& roles) {
  const nlohmann::json* reported = store::Find(fact, Key::kRoles);
  if (reported == nullptr || !reported->is_array()) return;
  for (const nlohmann::json& role : *reported) {
    if (!role.is_string() || roles.size() >= kMostWords) continue;
    roles.insert(role.get<std::string>().substr(0, kMostWordBytes));
  }
}

void AddUncovered(const nlohmann::json& fact, std::map<std::string, int64_t>& uncovered) {
  const nlohmann::json* reported = store::Find(fact, Key::kUncovered);
  if (reported == nullptr || !reported->is_object()) return;
  for (const auto& [why, count] : reported->items()) {
    if (!count.is_number_integer() || uncovered.size() >= kMostWords) continue;
    int64_t& sum = uncovered[why.substr(0, kMostWordBytes)];
    sum = SaturatingAdd(sum, std::max<int64_t>(count.get<int64_t>(), 0));
  }
}

}  // namespace

std::optional<TensorRecording> ReadTensorRecording(std::span<const store::RunMetadataRow> facts,
                                                   const store::StringTable& strings) {
  std::map<std::pair<int32_t, int64_t>, const store::RunMetadataRow*> last;  // by node, process
  for (const store::RunMetadataRow& row : facts) {
    if (strings.Text(row.kind) == store::MetadataKind::kTensors) last[{row.node, row.pid}] = &row;
  }
  if (last.empty()) return std::nullopt;
  TensorRecording recording;
  std::set<std::string> roles;
  std::map<std::string, int64_t> uncovered;
  for (const auto& [process, row] : last) {
    const nlohmann::json fact = store::ParseMetadata(row->json);
    if (fact.is_null()) continue;
    AddRoles(fact, roles);
    Raise(recording.every, store::IntegerOf(fact, Key::kEvery));
    Raise(recording.loss_every, store::IntegerOf(fact, Key::kLossEvery));
    if (const auto share = CostShare(fact)) {
      recording.cost_share = std::max(recording.cost_share.value_or(*share), *share);
    }
    AddUncovered(fact, uncovered);
  }
  recording.roles.assign(roles.begin(), roles.end());
  recording.uncovered.assign(uncovered.begin(), uncovered.end());
  return recording;
}

}  // namespace steptrace::analyze
