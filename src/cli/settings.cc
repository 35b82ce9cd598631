// SPDX-License-Identifier: Apache-2.0
#include "cli/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <variant>
#include <vector>

#include "base/redactor.h"
#include "base/secret_names.h"
#include "cli/hook_words.h"
#include "cli/settings_file.h"
#include "cli/settings_instances.h"
#include "cli/settings_patterns.h"

namespace steptrace::cli {
namespace {

namespace fs = std::filesystem;

using Texts = std::vector<std::string>;
using Value = std::variant<bool, int64_t, double, std::string, Texts>;

// One setting: how it is called in each place, how a value of its type gets in, and what it is
// where nobody sets it.
enum class SettingType { kText, kTexts, kWholeNumber, kNumber, kFlag };

const char* NameOfType(SettingType type) {
  switch (type) {
    case SettingType::kText:
      return "a text";
    case SettingType::kTexts:
      return "a list of texts";
    case SettingType::kWholeNumber:
      return "a whole number";
    case SettingType::kNumber:
      return "a number";
    case SettingType::kFlag:
      return "true or false";
  }
  return "";
}

struct Setting {
  const char* key;
  const char* variable;
  SettingType type;
  const char* sentence;
  std::function<Status(const Value&, Settings&)> set;
  std::string (*shown)(const Settings&);
};

Error WrongType(const Setting& setting) {
  return Error{fmt::format("is not {}", NameOfType(setting.type))};
}

Status SetColor(const Value& value, Settings& settings) {
  auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || !ParseColorMode(*text).ok()) {
    return Error{"is not one of \"auto\", \"always\", \"never\""};
  }
  settings.color = *text;
  return {};
}

Status SetPrice(const Value& value, Settings& settings) {
  auto* integer = std::get_if<int64_t>(&value);
  auto* decimal = std::get_if<double>(&value);
  double price = integer ? static_cast<double>(*integer) : decimal ? *decimal : -1;
  if (!(price >= 0 && price <= kMaxPricePerHour)) {
    return Error{fmt::format("is not a price (a number from 0 to {:.0f})", kMaxPricePerHour)};
  }
  settings.price_per_hour = price;
  return {};
}

Status SetHooks(const Value& value, Settings& settings) {
  auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return Error{""};
  STEPTRACE_RETURN_IF_ERROR(CheckHooks(*text));
  settings.hooks = *text;
  return {};
}

Status SetEditorUrl(const Value& value, Settings& settings) {
  auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return Error{""};
  const size_t colon = text->find(':') + 1;  // npos + 1 is 0
  if (!text->empty() && (colon < 2 || text->find("{file}") == std::string::npos)) {
    return Error{"is not an address with {file} in it, as vscode://file/{file}:{line}"};
  }
  settings.editor_url = *text;
  return {};
}

Status SetInterval(const Value& value, Settings& settings) {
  auto* integer = std::get_if<int64_t>(&value);
  if (integer == nullptr || *integer < kMinSystemIntervalMs || *integer > kMaxSystemIntervalMs) {
    return Error{fmt::format("is not a whole number of ms from {} to {}", kMinSystemIntervalMs,
                             kMaxSystemIntervalMs)};
  }
  settings.system_interval_ms = *integer;
  return {};
}

Status SetStackRate(const Value& value, Settings& settings) {
  auto* integer = std::get_if<int64_t>(&value);
  if (integer == nullptr || *integer < 0 || *integer > agent::kMaxStackRate) {
    return Error{fmt::format("is not a whole number from 0 to {}", agent::kMaxStackRate)};
  }
  settings.stack_rate = *integer;
  return {};
}

// One of SageMaker's fields of a window: whether they go together is looked at when all are known.
std::function<Status(const Value&, Settings&)> StoreField(
    std::optional<int64_t> agent::WindowFields::*field) {
  return [field](const Value& value, Settings& settings) -> Status {
    auto* integer = std::get_if<int64_t>(&value);
    if (integer == nullptr) return Error{""};
    settings.window_fields.*field = *integer;
    return {};
  };
}

Status SetDuration(const Value& value, Settings& settings) {
  auto* integer = std::get_if<int64_t>(&value);
  auto* decimal = std::get_if<double>(&value);
  if (integer == nullptr && decimal == nullptr) return Error{""};
  settings.window_fields.duration = integer ? static_cast<double>(*integer) : *decimal;
  return {};
}

// What automatic windows may cost: no more than a run of days makes use of.
Status SetWindowSeconds(const Value& value, Settings& settings) {
  constexpr double kMostSeconds = 3600;
  auto* integer = std::get_if<int64_t>(&value);
  auto* decimal = std::get_if<double>(&value);
  const double seconds = integer ? static_cast<double>(*integer) : decimal ? *decimal : -1;
  if (!(seconds >= 0 && seconds <= kMostSeconds)) {
    return Error{"is not a number of seconds from 0 to 3600"};
  }
  settings.window_budget.ns = static_cast<int64_t>(seconds * 1e9);
  return {};
}

// A whole number from 0 to `most` megabytes, times `scale`.
Status SetMegabytes(const Value& value, int64_t most, int64_t scale, int64_t& setting) {
  auto* integer = std::get_if<int64_t>(&value);
  if (integer == nullptr || *integer < 0 || *integer > most) {
    return Error{fmt::format("is not a whole number of megabytes from 0 to {}", most)};
  }
  setting = *integer * scale;
  return {};
}

Status SetWindowMegabytes(const Value& value, Settings& settings) {
  return SetMegabytes(value, 100'000, 1'000'000, settings.window_budget.bytes);
}

Status SetCacheMegabytes(const Value& value, Settings& settings) {
  return SetMegabytes(value, 1'000'000, 1, settings.cache_mb);
}

Status SetCapture(const Value& value, Settings& settings) {
  auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return Error{""};
  if (auto kinds = agent::ParseKinds(*text); !kinds.ok()) {
    return Error{
        "is not a list of what can be captured (operators, kernels, profile, stacks, shapes, "
        "memory)"};
  }
  settings.capture = *text;
  return {};
}

// A list takes the place of what was set before; a text is one with commas.
Status SetRedact(const Value& value, Settings& settings) {
  auto* texts = std::get_if<Texts>(&value);
  auto* text = std::get_if<std::string>(&value);
  if (texts == nullptr && text == nullptr) return Error{""};
  settings.redact.clear();
  for (const std::string& one : texts != nullptr ? *texts : Texts{*text}) {
    STEPTRACE_RETURN_IF_ERROR(AddRedact(one, settings));
  }
  return {};
}

Status SetReaders(const Value& value, Settings& settings) {
  auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? Status(Error{""}) : SetReadableBy(*text, settings);
}

// Stores a value of exactly type T; what else comes gets the general message.
template <class T, class Member>
std::function<Status(const Value&, Settings&)> Store(Member Settings::*member) {
  return [member](const Value& value, Settings& settings) -> Status {
    auto* typed = std::get_if<T>(&value);
    if (typed == nullptr) return Error{""};
    settings.*member = *typed;
    return {};
  };
}

template <auto kMember>
std::string Shown(const Settings& settings) {
  return fmt::format("{}", settings.*kMember);
}

template <auto kMember>
std::string ShownWindowField(const Settings& settings) {
  const auto& value = settings.window_fields.*kMember;
  return value ? fmt::format("{}", *value) : "";
}

const std::vector<Setting>& AllSettings() {
  static const std::vector<Setting> settings = {
      {"folder", "STEPTRACE_FOLDER", SettingType::kText, "Folder of runs.",
       Store<std::string>(&Settings::folder), Shown<&Settings::folder>},
      {"color", "STEPTRACE_COLOR", SettingType::kText,
       "Colour: auto (on a terminal), always or never.", SetColor, Shown<&Settings::color>},
      {"price_per_hour", "STEPTRACE_PRICE_PER_HOUR", SettingType::kNumber,
       "Cost of one hour of the training; the verdict then includes money.", SetPrice,
       [](const Settings& s) {
         return s.price_per_hour ? fmt::format("{}", *s.price_per_hour) : std::string();
       }},
      {"instance", "STEPTRACE_INSTANCE", SettingType::kText,
       "Machine type of the run, one of [[instances]]; by default the one of the same size.",
       Store<std::string>(&Settings::instance), Shown<&Settings::instance>},
      {"editor_url", "STEPTRACE_EDITOR_URL", SettingType::kText,
       "URL with {file} and {line} by which the pages open a source file; empty: none.",
       SetEditorUrl, Shown<&Settings::editor_url>},
      {"hooks", "STEPTRACE_HOOKS", SettingType::kText,
       "Hooks in the training: all, off, or a comma-separated list; see `run --hooks`.", SetHooks,
       [](const Settings& s) { return s.hooks.empty() ? std::string("all") : s.hooks; }},
      {"window", "STEPTRACE_WINDOW", SettingType::kText,
       "Capture windows as in `run --window`, separated by commas; auto or none. This setting, "
       "capture and stack_rate can be changed during a run.",
       Store<std::string>(&Settings::window),
       [](const Settings& s) { return s.window.empty() ? std::string("auto") : s.window; }},
      {"window_budget_s", "STEPTRACE_WINDOW_BUDGET_S", SettingType::kNumber,
       "Total length of all automatic capture windows, in seconds.", SetWindowSeconds,
       [](const Settings& s) { return fmt::format("{}", s.window_budget.ns / 1'000'000'000); }},
      {"window_budget_mb", "STEPTRACE_WINDOW_BUDGET_MB", SettingType::kWholeNumber,
       "Total size of all automatic capture windows, in megabytes of journal.", SetWindowMegabytes,
       [](const Settings& s) { return fmt::format("{}", s.window_budget.bytes / 1'000'000); }},
      {"capture", "STEPTRACE_CAPTURE", SettingType::kText,
       "What capture windows record: operators, kernels, or a profile (stacks, shapes, memory).",
       SetCapture, Shown<&Settings::capture>},
      {"kineto", "STEPTRACE_KINETO", SettingType::kFlag,
       "Also capture processes without hooks: their PyTorch profiler asks the agent.",
       Store<bool>(&Settings::kineto), Shown<&Settings::kineto>},
      {"keep_traces", "STEPTRACE_KEEP_TRACES", SettingType::kFlag,
       "Keep the profile files after they were read into the run.",
       Store<bool>(&Settings::keep_traces), Shown<&Settings::keep_traces>},
      {"start_step", "STEPTRACE_START_STEP", SettingType::kWholeNumber,
       "First step of a capture window (SageMaker's name).",
       StoreField(&agent::WindowFields::start_step),
       ShownWindowField<&agent::WindowFields::start_step>},
      {"num_steps", "STEPTRACE_NUM_STEPS", SettingType::kWholeNumber,
       "Number of steps of that window.", StoreField(&agent::WindowFields::num_steps),
       ShownWindowField<&agent::WindowFields::num_steps>},
      {"start_unix_time", "STEPTRACE_START_UNIX_TIME", SettingType::kWholeNumber,
       "Start of that window instead of a step, in seconds since 1970.",
       StoreField(&agent::WindowFields::start_unix_time),
       ShownWindowField<&agent::WindowFields::start_unix_time>},
      {"duration", "STEPTRACE_DURATION", SettingType::kNumber,
       "Length of that window, in seconds. Alone: from now on, or from the first step.",
       SetDuration, ShownWindowField<&agent::WindowFields::duration>},
      {"system_interval_ms", "STEPTRACE_SYSTEM_INTERVAL_MS", SettingType::kWholeNumber,
       "Milliseconds between system samples, 100 to 60000.", SetInterval,
       Shown<&Settings::system_interval_ms>},
      {"stack_rate", "STEPTRACE_STACK_RATE", SettingType::kWholeNumber,
       "Stack samples per second of each Python thread, 0 (none) to 1000.", SetStackRate,
       Shown<&Settings::stack_rate>},
      {"hang_watch", "STEPTRACE_HANG_WATCH", SettingType::kFlag,
       "Detect hangs, and report who waits for whom, and where.",
       Store<bool>(&Settings::hang_watch), Shown<&Settings::hang_watch>},
      {"shm", "STEPTRACE_SHM", SettingType::kText,
       "Shared-memory folder for the rings, if /dev/shm is too small or missing.",
       Store<std::string>(&Settings::shm),
       [](const Settings& s) { return s.shm.empty() ? std::string("/dev/shm") : s.shm; }},
      {"redact", "STEPTRACE_REDACT", SettingType::kTexts,
       "Names whose values are redacted in addition to the known ones, such as my-secret. The name "
       "off: redact nothing.",
       SetRedact, [](const Settings& s) { return fmt::format("{}", fmt::join(s.redact, ", ")); }},
      {"readable_by", "STEPTRACE_READABLE_BY", SettingType::kText,
       "Who may read new runs: owner or group. See privacy.md.", SetReaders,
       [](const Settings& s) {
         return std::string(s.folder_mode == kGroupFolder ? kReadersGroup : kReadersOwner);
       }},
      {"quiet", "STEPTRACE_QUIET", SettingType::kFlag, "run prints only errors.",
       Store<bool>(&Settings::quiet), Shown<&Settings::quiet>},
      {"report", "STEPTRACE_REPORT", SettingType::kFlag, "run prints the report at the end.",
       Store<bool>(&Settings::report), Shown<&Settings::report>},
      {"cache_mb", "STEPTRACE_CACHE_MB", SettingType::kWholeNumber,
       "Size limit, in megabytes, of the cache of profiles that `report FILE` imported; 0: no "
       "cache, they go to `folder`.",
       SetCacheMegabytes, Shown<&Settings::cache_mb>},
  };
  return settings;
}

Status Set(const Setting& setting, const std::optional<Value>& value, std::string_view place,
           Settings& settings) {
  Status status = value ? setting.set(*value, settings) : Status{Error{""}};
  if (status.ok() && setting.key == std::string_view("instance")) settings.instance_place = place;
  if (status.ok()) return {};
  std::string cause =
      status.error().cause.empty() ? WrongType(setting).cause : status.error().text();
  return Error{fmt::format("{}: {} {}", place, setting.key, cause),
               fmt::format("give {}, or leave it out",
                           setting.type == SettingType::kFlag ? "one of them" : "such a value")};
}

std::optional<Value> FromToml(const toml::node& node) {
  if (auto* value = node.as_boolean()) return Value{value->get()};
  if (auto* value = node.as_integer()) return Value{value->get()};
  if (auto* value = node.as_floating_point()) return Value{value->get()};
  if (auto* value = node.as_string()) return Value{value->get()};
  if (auto* list = node.as_array()) {
    Texts texts;
    for (const toml::node& one : *list) {
      if (!one.is_string()) return std::nullopt;
      texts.push_back(**one.as_string());
    }
    return Value{std::move(texts)};
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
std::optional<Value> ParseNumber(const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  auto result = std::from_chars(text.data(), end, number);
  if (result.ptr != end || result.ec != std::errc{}) return std::nullopt;
  return Value{number};
}

// A variable is text: read as what the setting is.
std::optional<Value> FromVariable(const Setting& setting, const std::string& text) {
  switch (setting.type) {
    case SettingType::kText:
    case SettingType::kTexts:
      return Value{text};
    case SettingType::kWholeNumber:
      return ParseNumber<int64_t>(text);
    case SettingType::kNumber:
      return ParseNumber<double>(text);
    case SettingType::kFlag:
      if (text == "1" || text == "true") return Value{true};
      if (text == "0" || text == "false") return Value{false};
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
        Set(setting, FromVariable(setting, *text), setting.variable, settings));
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
      "`\"mypkg.io:read_*\" = \"storage_read\"`; see verdict.md. |\n";
  return text;
}

}  // namespace steptrace::cli
