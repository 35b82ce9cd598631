// SPDX-License-Identifier: Apache-2.0
#include "cli/settings_instances.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/settings_limits.h"

namespace steptrace::cli {
namespace {

// A number of [[instances]] from 0; nothing where it is absent.
Status ReadAmount(const toml::table& table, const char* key, const std::string& place, double most,
                  double& amount) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return {};
  const std::optional<double> value = node->value<double>();
  if (!node->is_number() || !value || !std::isfinite(*value) || *value < 0 || *value > most) {
    return Error{
        fmt::format("{}: instances: {} is not a number from 0 to {:.0f}", place, key, most)};
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
  for (const auto& entry : table) {
    const std::string_view key = entry.first.str();
    const bool known = std::any_of(std::begin(kKeys), std::end(kKeys),
                                   [&](const char* one) { return key == one; });
    if (!known) {
      return Error{fmt::format("{}: instances: unknown key '{}'", place, key),
                   fmt::format("the keys are {}", fmt::join(kKeys, ", "))};
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
  STEPTRACE_RETURN_IF_ERROR(
      ReadAmount(table, "price_per_hour", place, kMaxPricePerHour, type.price_per_hour));
  if (type.name.empty() || type.cores < 1 || type.memory_gib <= 0 || type.price_per_hour <= 0) {
    return Error{fmt::format(
        "{}: instances: a type needs name, cores, memory_gib and price_per_hour, all over 0",
        place)};
  }
  return type;
}

// How many letters part two names, whatever their case.
size_t Distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

// The names that may be meant, nearest first.
std::vector<std::string_view> NearestNames(std::string_view name,
                                           const std::vector<analyze::InstanceType>& types) {
  constexpr size_t kMostNames = 3;
  constexpr size_t kMostCompared = 64;  // letters
  std::vector<std::pair<size_t, std::string_view>> near;
  for (const analyze::InstanceType& type : types) {
    const std::string_view other = type.name;
    near.emplace_back(Distance(name.substr(0, kMostCompared), other.substr(0, kMostCompared)),
                      other);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string_view> names;
  for (size_t i = 0; i < std::min(near.size(), kMostNames); ++i) names.push_back(near[i].second);
  return names;
}

}  // namespace

Status CheckInstanceName(std::string_view name, std::string_view place,
                         const std::vector<analyze::InstanceType>& types) {
  const bool known =
      std::any_of(types.begin(), types.end(),
                  [&](const analyze::InstanceType& type) { return type.name == name; });
  if (name.empty() || known) return {};
  constexpr size_t kShown = 64;
  const std::string shown = fmt::format("{}: instance '{}'", place, name.substr(0, kShown));
  if (types.empty()) {
    return Error{
        fmt::format("{} is not a known machine type: the settings file has no [[instances]]",
                    shown),
        "add it there (docs: rules.md)"};
  }
  return Error{fmt::format("{} is not a known machine type; similar ones are {}", shown,
                           fmt::join(NearestNames(name, types), ", ")),
               fmt::format("[[instances]] in the settings file lists all {}", types.size())};
}

Result<std::vector<analyze::InstanceType>> ReadInstances(const toml::node& node,
                                                         std::string_view source) {
  const toml::array* array = node.as_array();
  const auto place = [&](const toml::node& at) {
    return fmt::format("{}:{}", source, at.source().begin.line);
  };
  if (array == nullptr) {
    return Error{fmt::format("{}: instances is not an array of tables", place(node)),
                 "write [[instances]]"};
  }
  std::vector<analyze::InstanceType> types;
  for (const toml::node& one : *array) {
    if (!one.is_table()) {
      return Error{fmt::format("{}: instances is not an array of tables", place(one)),
                   "write [[instances]]"};
    }
    STEPTRACE_ASSIGN_OR_RETURN(analyze::InstanceType type,
                               ReadInstance(*one.as_table(), place(one)));
    for (const analyze::InstanceType& before : types) {
      if (before.name != type.name) continue;
      return Error{fmt::format("{}: instances: '{}' is listed twice", place(one), type.name),
                   "remove one"};
    }
    types.push_back(std::move(type));
  }
  return types;
}

}  // namespace steptrace::cli
