// SPDX-License-Identifier: Apache-2.0
#include "cli/settings_instances.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace steptrace::cli {
namespace {

// A number of [[instances]] from 0; nothing where it is absent.
Status ReadAmount(const toml::table& table, const char* key, const std::string& place, double most,
                  double& amount) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return {};
  const std::optional<double> value = node->value<double>();
  if (!node->is_number() || !value || !std::isfinite(*value) || *value < 0 || *value > most) {
    return Error{fmt::format("{}: instances: {} is not a number from 0 to {}", place, key, most)};
  }
  amount = *value;
  return {};
}

Status ReadCount(const toml::table& table, const char* key, const std::string& place,
                 int32_t& count) {
  constexpr double kMost = 1'000'000;
  double amount = 0;
  STEPTRACE_RETURN_IF_ERROR(ReadAmount(table, key, place, kMost, amount));
  if (amount != std::floor(amount)) {
    return Error{fmt::format("{}: instances: {} is not a whole number", place, key)};
  }
  count = static_cast<int32_t>(amount);
  return {};
}

Result<analyze::InstanceType> ReadInstance(const toml::table& table, const std::string& place) {
  constexpr double kMost = 1e9;
  static const char* const kKeys[] = {"name", "cores",          "memory_gib",    "gpus",
                                      "gpu",  "gpu_memory_gib", "price_per_hour"};
  for (const auto& [key, node] : table) {
    const bool known = std::any_of(std::begin(kKeys), std::end(kKeys),
                                   [&](const char* one) { return key.str() == one; });
    if (!known) {
      return Error{fmt::format("{}: instances: unknown key '{}'; the keys are {}", place, key.str(),
                               fmt::join(kKeys, ", "))};
    }
  }
  analyze::InstanceType type;
  for (auto [key, text] : {std::pair{"name", &type.name}, std::pair{"gpu", &type.gpu}}) {
    const toml::node* node = table.get(key);
    if (node == nullptr) continue;
    if (!node->is_string())
      return Error{fmt::format("{}: instances: {} is not a text", place, key)};
    *text = **node->as_string();
  }
  STEPTRACE_RETURN_IF_ERROR(ReadCount(table, "cores", place, type.cores));
  STEPTRACE_RETURN_IF_ERROR(ReadCount(table, "gpus", place, type.gpus));
  STEPTRACE_RETURN_IF_ERROR(ReadAmount(table, "memory_gib", place, kMost, type.memory_gib));
  STEPTRACE_RETURN_IF_ERROR(ReadAmount(table, "gpu_memory_gib", place, kMost, type.gpu_memory_gib));
  STEPTRACE_RETURN_IF_ERROR(ReadAmount(table, "price_per_hour", place, kMost, type.price_per_hour));
  if (type.name.empty() || type.cores < 1 || type.memory_gib <= 0 || type.price_per_hour <= 0) {
    return Error{fmt::format(
        "{}: instances: a type needs name, cores, memory_gib and price_per_hour, all over 0",
        place)};
  }
  return type;
}

}  // namespace

// [[instances]]: what machines there are, and what an hour of each costs.
Status ReadInstances(const toml::node& node, std::string_view source, Settings& settings) {
  const toml::array* array = node.as_array();
  const auto place = [&](const toml::node& at) {
    return fmt::format("{}:{}", source, at.source().begin.line);
  };
  if (array == nullptr) {
    return Error{
        fmt::format("{}: instances is not an array of tables; write [[instances]]", place(node))};
  }
  std::vector<analyze::InstanceType> types;
  for (const toml::node& one : *array) {
    if (!one.is_table()) {
      return Error{
          fmt::format("{}: instances is not an array of tables; write [[instances]]", place(one))};
    }
    STEPTRACE_ASSIGN_OR_RETURN(analyze::InstanceType type,
                               ReadInstance(*one.as_table(), place(one)));
    for (const analyze::InstanceType& before : types) {
      if (before.name != type.name) continue;
      return Error{
          fmt::format("{}: instances: '{}' is listed twice; remove one", place(one), type.name)};
    }
    types.push_back(std::move(type));
  }
  settings.instances = std::move(types);
  return {};
}

}  // namespace steptrace::cli
