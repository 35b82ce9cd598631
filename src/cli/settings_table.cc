// SPDX-License-Identifier: Apache-2.0
#include "cli/settings_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "agent/run/agent_options.h"
#include "cli/hook_words.h"
#include "cli/settings_alerts.h"
#include "cli/settings_limits.h"
#include "cli/settings_privacy.h"
#include "cli/tensor_words.h"
#include "cli/terminal.h"

namespace steptrace::cli {
namespace {

Status SetColor(const SettingValue& value, Settings& settings) {
  auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || !ParseColorMode(*text).ok()) {
    return Error{"is not one of \"auto\", \"always\", \"never\""};
  }
  settings.color = *text;
  return {};
}

Status SetPrice(const SettingValue& value, Settings& settings) {
  auto* integer = std::get_if<int64_t>(&value);
  auto* decimal = std::get_if<double>(&value);
  double price = integer ? static_cast<double>(*integer) : decimal ? *decimal : -1;
  if (!(price >= 0 && price <= kMaxPricePerHour)) {
    return Error{fmt::format("is not a price (a number from 0 to {:.0f})", kMaxPricePerHour)};
  }
  settings.price_per_hour = price;
  return {};
}

Status SetHooks(const SettingValue& value, Settings& settings) {
  auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return Error{""};
  STEPTRACE_RETURN_IF_ERROR(CheckHooks(*text));
  settings.hooks = *text;
  return {};
}

Status SetTensors(const SettingValue& value, Settings& settings) {
  auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return Error{""};
  STEPTRACE_ASSIGN_OR_RETURN(settings.tensors, TensorWords(*text));
  return {};
}

Status SetEditorUrl(const SettingValue& value, Settings& settings) {
  auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return Error{""};
  const size_t colon = text->find(':') + 1;  // npos + 1 is 0
  if (!text->empty() && (colon < 2 || text->find("{file}") == std::string::npos)) {
    return Error{"is not an address with {file} in it, as vscode://file/{file}:{line}"};
  }
  settings.editor_url = *text;
  return {};
}

Status SetInterval(const SettingValue& value, Settings& settings) {
  auto* integer = std::get_if<int64_t>(&value);
  if (integer == nullptr || *integer < kMinSystemIntervalMs || *integer > kMaxSystemIntervalMs) {
    return Error{fmt::format("is not a whole number of ms from {} to {}", kMinSystemIntervalMs,
                             kMaxSystemIntervalMs)};
  }
  settings.system_interval_ms = *integer;
  return {};
}

Status SetStackRate(const SettingValue& value, Settings& settings) {
  auto* integer = std::get_if<int64_t>(&value);
  if (integer == nullptr || *integer < 0 || *integer > agent::kMaxStackRate) {
    return Error{fmt::format("is not a whole number from 0 to {}", agent::kMaxStackRate)};
  }
  settings.stack_rate = *integer;
  return {};
}

// One of SageMaker's fields of a window: whether they go together is looked at when all are known.
std::function<Status(const SettingValue&, Settings&)> StoreField(
    std::optional<int64_t> agent::WindowFields::*field) {
  return [field](const SettingValue& value, Settings& settings) -> Status {
    auto* integer = std::get_if<int64_t>(&value);
    if (integer == nullptr) return Error{""};
    settings.window_fields.*field = *integer;
    return {};
  };
}

Status SetDuration(const SettingValue& value, Settings& settings) {
  auto* integer = std::get_if<int64_t>(&value);
  auto* decimal = std::get_if<double>(&value);
  if (integer == nullptr && decimal == nullptr) return Error{""};
  settings.window_fields.duration = integer ? static_cast<double>(*integer) : *decimal;
  return {};
}

// What automatic windows may cost: no more than a run of days makes use of.
Status SetWindowSeconds(const SettingValue& value, Settings& settings) {
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
Status SetMegabytes(const SettingValue& value, int64_t most, int64_t scale, int64_t& setting) {
  auto* integer = std::get_if<int64_t>(&value);
  if (integer == nullptr || *integer < 0 || *integer > most) {
    return Error{fmt::format("is not a whole number of megabytes from 0 to {}", most)};
  }
  setting = *integer * scale;
  return {};
}

Status SetWindowMegabytes(const SettingValue& value, Settings& settings) {
  return SetMegabytes(value, 100'000, 1'000'000, settings.window_budget.bytes);
}

Status SetCacheMegabytes(const SettingValue& value, Settings& settings) {
  return SetMegabytes(value, 1'000'000, 1, settings.cache_mb);
}

Status SetCapture(const SettingValue& value, Settings& settings) {
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
Status SetRedact(const SettingValue& value, Settings& settings) {
  auto* texts = std::get_if<Texts>(&value);
  auto* text = std::get_if<std::string>(&value);
  if (texts == nullptr && text == nullptr) return Error{""};
  settings.redact.clear();
  for (const std::string& one : texts != nullptr ? *texts : Texts{*text}) {
    STEPTRACE_RETURN_IF_ERROR(AddRedact(one, settings));
  }
  return {};
}

Status SetReaders(const SettingValue& value, Settings& settings) {
  auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? Status(Error{""}) : SetReadableBy(*text, settings);
}

// Stores a value of exactly type T; what else comes gets the general message.
template <class T, class Member>
std::function<Status(const SettingValue&, Settings&)> Store(Member Settings::*member) {
  return [member](const SettingValue& value, Settings& settings) -> Status {
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

// A list takes the place of what was set before; a text is one with commas.
Status SetAlertRules(const SettingValue& value, Settings& settings) {
  auto* texts = std::get_if<Texts>(&value);
  auto* text = std::get_if<std::string>(&value);
  if (texts == nullptr && text == nullptr) return Error{""};
  std::vector<std::string> rules;
  for (const std::string& one : texts != nullptr ? *texts : Texts{*text}) {
    const Status added = AddAlertRules(one, rules);
    if (!added.ok()) return Error{"has " + added.error().cause, added.error().next_step};
  }
  settings.alerts.rules = std::move(rules);
  return {};
}

Setting OfThreshold(const model::AlertThreshold& threshold) {
  const auto set = [&threshold](const SettingValue& value, Settings& settings) -> Status {
    auto* integer = std::get_if<int64_t>(&value);
    auto* decimal = std::get_if<double>(&value);
    const double number = integer ? static_cast<double>(*integer) : decimal ? *decimal : -1;
    return SetThreshold(threshold, number, settings.alerts.thresholds);
  };
  const auto shown = [&threshold](const Settings& settings) {
    return fmt::format("{:g}", settings.alerts.thresholds.*threshold.value);
  };
  return {threshold.key, threshold.variable, SettingType::kNumber, threshold.sentence, set, shown};
}

std::vector<Setting> MakeSettings() {
  std::vector<Setting> settings = {
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
      {"disable", "STEPTRACE_DISABLE", SettingType::kFlag,
       "true: run starts the command as if it had been called without Steptrace, and records "
       "nothing.",
       Store<bool>(&Settings::disable), Shown<&Settings::disable>},
      {"hooks", "STEPTRACE_HOOKS", SettingType::kText,
       "Hooks in the training: all, off, or a comma-separated list; see `run --hooks`.", SetHooks,
       [](const Settings& s) { return s.hooks.empty() ? std::string("all") : s.hooks; }},
      {"tensors", "STEPTRACE_TENSORS", SettingType::kText,
       "Tensor statistics of a training, as in `run --tensors`, or none.", SetTensors,
       [](const Settings& s) { return s.tensors.empty() ? std::string("none") : s.tensors; }},
      {"window", "STEPTRACE_WINDOW", SettingType::kText,
       "Capture windows as in `run --window`, separated by commas; auto or none. This setting, "
       "capture and stack_rate can be changed during a run.",
       Store<std::string>(&Settings::window),
       [](const Settings& s) { return s.window.empty() ? std::string("auto") : s.window; }},
      {"window_budget_s", "STEPTRACE_WINDOW_BUDGET_S", SettingType::kNumber,
       "Total length of all automatic capture windows, in seconds; not what they cost.",
       SetWindowSeconds,
       [](const Settings& s) { return fmt::format("{}", s.window_budget.ns / 1'000'000'000); }},
      {"window_budget_mb", "STEPTRACE_WINDOW_BUDGET_MB", SettingType::kWholeNumber,
       "Total size of all automatic capture windows, in megabytes of journal.", SetWindowMegabytes,
       [](const Settings& s) { return fmt::format("{}", s.window_budget.bytes / 1'000'000); }},
      {"capture", "STEPTRACE_CAPTURE", SettingType::kText,
       "What capture windows record, with commas: operators, kernels, stacks, shapes, memory, "
       "profile.",
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
      {"alert_rules", "STEPTRACE_ALERT_RULES", SettingType::kTexts,
       "Thresholds of profiler rules during a run, such as \"LowGPUUtilization.window=200\".",
       SetAlertRules,
       [](const Settings& s) { return fmt::format("{}", fmt::join(s.alerts.rules, ", ")); }},
  };
  for (const model::AlertThreshold& one : model::kAlertThresholds) {
    settings.push_back(OfThreshold(one));
  }
  return settings;
}

}  // namespace

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

const std::vector<Setting>& AllSettings() {
  static const std::vector<Setting> settings = MakeSettings();
  return settings;
}

}  // namespace steptrace::cli
