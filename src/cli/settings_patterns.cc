// SPDX-License-Identifier: Apache-2.0
#include "cli/settings_patterns.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace steptrace::cli {
namespace {

Result<std::vector<std::string>> ReadPatterns(const toml::node& node, std::string_view key,
                                              const std::string& place) {
  const Error wrong{fmt::format("{}: tensor_cores: {} is not an array of texts", place, key)};
  if (!node.is_array()) return wrong;
  std::vector<std::string> patterns;
  for (const toml::node& one : *node.as_array()) {
    if (!one.is_string()) return wrong;
    patterns.push_back(**one.as_string());
  }
  return patterns;
}

}  // namespace

Result<analyze::TensorCorePatterns> ReadTensorCores(const toml::node& node,
                                                    std::string_view source) {
  const std::string place = fmt::format("{}:{}", source, node.source().begin.line);
  if (!node.is_table()) {
    return Error{fmt::format("{}: tensor_cores is not a table", place), "write [tensor_cores]"};
  }
  std::vector<std::string> kernels, plain;
  for (const auto& [key, value] : *node.as_table()) {
    const std::string at = fmt::format("{}:{}", source, value.source().begin.line);
    if (key.str() != "kernels" && key.str() != "plain") {
      return Error{fmt::format("{}: tensor_cores: unknown key '{}'", at, key.str()),
                   "the keys are kernels and plain"};
    }
    auto& patterns = key.str() == "plain" ? plain : kernels;
    STEPTRACE_ASSIGN_OR_RETURN(patterns, ReadPatterns(value, key.str(), at));
  }
  auto made = analyze::TensorCorePatterns::Create(std::move(kernels), std::move(plain));
  if (!made.ok()) {
    return made.error().Of(place + ": tensor_cores");
  }
  return made;
}

Result<analyze::StageTable> ReadStages(const toml::node& node, std::string_view source) {
  const auto place = [&](const toml::node& at) {
    return fmt::format("{}:{}", source, at.source().begin.line);
  };
  if (!node.is_table()) {
    return Error{fmt::format("{}: stages is not a table", place(node)), "write [stages]"};
  }
  std::vector<std::pair<std::string, std::string>> patterns;
  for (const auto& [key, value] : *node.as_table()) {
    if (!value.is_string()) {
      return Error{fmt::format("{}: stages: '{}' is not a text", place(value), key.str()),
                   fmt::format("write \"{}\" = \"decode\"", key.str())};
    }
    patterns.emplace_back(std::string(key.str()), **value.as_string());
    // One at a time, so that the message names its line.
    if (const auto one = analyze::StageTable::Create({patterns.back()}); !one.ok()) {
      return one.error().Of(place(value) + ": stages");
    }
  }
  auto made = analyze::StageTable::Create(std::move(patterns));
  if (!made.ok()) return made.error().Of(place(node) + ": stages");
  return made;
}

}  // namespace steptrace::cli
