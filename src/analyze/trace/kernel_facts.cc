// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/kernel_facts.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace steptrace::analyze {
namespace {

constexpr double kBillion = 1e9;
constexpr double kMostBlocks = 1e12;  // more is no grid but damage

// Kineto writes 0 where it does not know: no kernel that ran had no block, nor an occupancy of 0.
std::optional<int64_t> Billionths(const nlohmann::json& details, const char* key, double scale) {
  const auto found = details.find(key);
  if (found == details.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>() * scale;
  if (!(value > 0) || value > kMostBlocks) return std::nullopt;
  // More than a billion of either is over any threshold already.
  return std::llround(std::min(value, kBillion) * kBillion);
}

std::optional<int64_t> Blocks(const nlohmann::json& details) {
  const auto grid = details.find("grid");
  if (grid == details.end() || !grid->is_array() || grid->empty()) return std::nullopt;
  double blocks = 1;
  for (const nlohmann::json& size : *grid) {
    if (!size.is_number()) return std::nullopt;
    blocks *= size.get<double>();
  }
  if (!(blocks >= 1) || blocks > kMostBlocks) return std::nullopt;
  return std::llround(blocks);
}

KernelFacts Read(const std::string& text) {
  KernelFacts facts;
  if (text.empty()) return facts;
  const nlohmann::json details = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!details.is_object()) return facts;
  facts.blocks_per_sm_billionths = Billionths(details, "blocks per SM", 1);
  facts.occupancy_billionths = Billionths(details, "est. achieved occupancy %", 0.01);
  facts.blocks = Blocks(details);
  return facts;
}

}  // namespace

const KernelFacts& KernelFactsReader::Of(store::StringId details) {
  auto [found, added] = facts_.try_emplace(details);
  if (added) found->second = Read(strings_.Text(details));
  return found->second;
}

}  // namespace steptrace::analyze
