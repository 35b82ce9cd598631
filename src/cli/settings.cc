// SPDX-License-Identifier: Apache-2.0
#include "cli/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <vector>

#include "cli/settings_file.h"
#include "cli/settings_instances.h"
#include "cli/settings_patterns.h"
#include "cli/settings_table.h"

namespace steptrace::cli {
namespace {

constexpr size_t kShownValueBytes = 80;  // of a value that is refused

namespace fs = std::filesystem;

Error WrongType(const Setting& setting) {
  return Error{fmt::format("is not {}", NameOfType(setting.type))};
}

// What was given, where the cause does not quote it.
std::string GivenText(std::string_view text, const std::string& cause) {
  const std::string quoted = fmt::format("'{}'", text.substr(0, kShownValueBytes));
  if (text.empty() || cause.find(quoted) != cause.npos) return "";
  return fmt::format(" ({} was given)", quoted);
}

// `text`: what a variable holds; empty: the value stands at the place.
Status Set(const Setting& setting, const std::optional<SettingValue>& value, std::string_view place,
           Settings& settings, std::string_view text = "") {
  Status status = value ? setting.set(*value, settings) : Status{Error{""}};
  if (status.ok() && setting.key == std::string_view("instance")) settings.instance_place = place;
  if (status.ok()) return {};
  std::string cause =
      status.error().cause.empty() ? WrongType(setting).cause : status.error().text();
  return Error{fmt::format("{}: {} {}{}", place, setting.key, cause, GivenText(text, cause)),
               fmt::format("give {}, or leave it out",
                           setting.type == SettingType::kFlag ? "one of them" : "such a value")};
}

std::optional<SettingValue> FromToml(const toml::node& node) {
  if (auto* value = node.as_boolean()) return SettingValue{value->get()};
  if (auto* value = node.as_integer()) return SettingValue{value->get()};
  if (auto* value = node.as_floating_point()) return SettingValue{value->get()};
  if (auto* value = node.as_string()) return SettingValue{value->get()};
  if (auto* list = node.as_array()) {
    Texts texts;
    for (const toml::node& one : *list) {
      if (!one.is_string()) return std::nullopt;
      texts.push_back(**one.as_string());
    }
    return SettingValue{std::move(texts)};
  }
  return std::nullopt;
}

std::string KnownKeys() {
  std::string keys;
  for (const auto& setting : AllSettings())
    keys += (keys.empty() ? "" : ", ") + std::string(setting.key);
  return keys + ", instances, stages, tensor_cores";
}

const Setting* FindSetting(std::string_view key) {
  for (const auto& setting : AllSettings()) {
    if (setting.key == key) return &setting;
  }
  return nullptr;
}

template <class Number>
std::optional<SettingValue> ParseNumber(const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  auto result = std::from_chars(text.data(), end, number);
  if (result.ptr != end || result.ec != std::errc{}) return std::nullopt;
  return SettingValue{number};
}

// A variable is text: read as what the setting is.
std::optional<SettingValue> FromVariable(const Setting& setting, const std::string& text) {
  switch (setting.type) {
    case SettingType::kText:
    case SettingType::kTexts:
      return SettingValue{text};
    case SettingType::kWholeNumber:
      return ParseNumber<int64_t>(text);
    case SettingType::kNumber:
      return ParseNumber<double>(text);
    case SettingType::kFlag:
      if (text == "1" || text == "true") return SettingValue{true};
      if (text == "0" || text == "false") return SettingValue{false};
      break;
  }
  return std::nullopt;
}

}  // namespace

Environment ProcessEnvironment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

Status ApplyToml(std::string_view text, std::string_view source, Settings& settings) {
  toml::parse_result parsed = toml::parse(text, source);
  if (!parsed) {
    const auto& error = parsed.error();
    return Error{fmt::format("{}:{}: {}", source, error.source().begin.line, error.description()),
                 "correct the TOML there"};
  }
  for (const auto& [key, node] : parsed.table()) {
    std::string place = fmt::format("{}:{}", source, node.source().begin.line);
    if (key.str() == "instances") {
      STEPTRACE_ASSIGN_OR_RETURN(settings.instances, ReadInstances(node, source));
      continue;
    }
    if (key.str() == "stages") {
      STEPTRACE_ASSIGN_OR_RETURN(settings.stages, ReadStages(node, source));
      continue;
    }
    if (key.str() == "tensor_cores") {
      STEPTRACE_ASSIGN_OR_RETURN(settings.tensor_cores, ReadTensorCores(node, source));
      continue;
    }
    const Setting* setting = FindSetting(key.str());
    if (setting == nullptr) {
      return Error{fmt::format("{}: unknown setting '{}'", place, key.str()),
                   fmt::format("the settings are {}", KnownKeys())};
    }
    STEPTRACE_RETURN_IF_ERROR(Set(*setting, FromToml(node), place, settings));
  }
  return {};
}

Status ApplyEnvironment(const Environment& environment, Settings& settings) {
  for (const auto& setting : AllSettings()) {
    auto text = environment(setting.variable);
    if (!text || text->empty()) continue;
    STEPTRACE_RETURN_IF_ERROR(
        Set(setting, FromVariable(setting, *text), setting.variable, settings, *text));
  }
  return {};
}

std::vector<std::string> UnknownVariables(const std::vector<std::string>& environment) {
  // What is no setting: where settings are, how the parts find each other, and what tests set.
  static constexpr std::string_view kOthers[] = {
      "CONFIG",      "RUN",        "RUN_DIR",           "RING_DIR", "PROBE", "AGENT_",
      "PACKAGE_DIR", "EXECUTABLE", "RING_BUDGET_BYTES", "PROFILES", "FAKE_"};
  constexpr std::string_view kPrefix = "STEPTRACE_";
  std::vector<std::string> unknown;
  for (const std::string& entry : environment) {
    const std::string_view name = std::string_view(entry).substr(0, entry.find('='));
    if (!name.starts_with(kPrefix)) continue;
    const auto& settings = AllSettings();
    bool known = std::any_of(settings.begin(), settings.end(),
                             [&](const Setting& setting) { return name == setting.variable; });
    for (const std::string_view other : kOthers) {
      const std::string_view rest = name.substr(kPrefix.size());
      known = known || (other.ends_with('_') ? rest.starts_with(other) : rest == other);
    }
    if (!known) unknown.emplace_back(name);
  }
  return unknown;
}

std::string KnownVariables() {
  std::string names = "STEPTRACE_CONFIG";
  for (const auto& setting : AllSettings()) names += std::string(", ") + setting.variable;
  return names;
}

fs::path SettingsFile(const Environment& environment) {
  const auto given = environment("STEPTRACE_CONFIG");
  return given && !given->empty() ? *given : "steptrace.toml";
}

Result<Settings> LoadSettings(const Environment& environment) {
  Settings settings;
  const auto given = environment("STEPTRACE_CONFIG");
  const fs::path file = SettingsFile(environment);
  const bool named = given && !given->empty();
  STEPTRACE_ASSIGN_OR_RETURN(
      const auto text,
      ReadSettingsFile(file, named ? SettingsNeed::kMustBeThere : SettingsNeed::kMayBeAbsent));
  if (text) STEPTRACE_RETURN_IF_ERROR(ApplyToml(*text, file.string(), settings));
  STEPTRACE_RETURN_IF_ERROR(ApplyEnvironment(environment, settings));
  return settings;
}

Status CheckInstance(const Settings& settings) {
  return CheckInstanceName(settings.instance, settings.instance_place, settings.instances);
}

std::vector<SettingInForce> SettingsInForce(const Settings& settings,
                                            const Environment& environment) {
  const Settings defaults;
  std::vector<SettingInForce> all;
  for (const auto& setting : AllSettings()) {
    const auto variable = environment(setting.variable);
    std::string value = setting.shown(settings);
    std::string from = value == setting.shown(defaults) ? "default" : SettingsFile(environment);
    if (variable && !variable->empty()) from = setting.variable;
    all.push_back({setting.key, std::move(value), std::move(from)});
  }
  return all;
}

std::string SettingsMarkdown() {
  std::string text =
      "| steptrace.toml | environment | type | default | meaning |\n"
      "| --- | --- | --- | --- | --- |\n";
  const Settings defaults;
  for (const auto& setting : AllSettings()) {
    const std::string shown = setting.shown(defaults);
    text += fmt::format("| `{}` | `{}` | {} | {} | {} |\n", setting.key, setting.variable,
                        NameOfType(setting.type), shown.empty() ? "" : "`" + shown + "`",
                        setting.sentence);
  }
  text +=
      "| `[[instances]]` | | tables | | Machine types: `name`, `cores`, `memory_gib`, `gpus`, "
      "`gpu`, `gpu_memory_gib`, `price_per_hour`; see rules.md. |\n"
      "| `[tensor_cores]` | | table | | `kernels`, `plain`: parts of names of kernels that use "
      "tensor "
      "cores, or only seem to; see report.md. |\n"
      "| `[stages]` | | table | | Patterns of functions, and the stage of each: "
      "`\"mypkg.io:read_*\" = \"storage_read\"`; see [Name your functions]"
      "(../how-to/name-your-functions.md). |\n";
  return text;
}

}  // namespace steptrace::cli
