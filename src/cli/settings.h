// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/settings_values.h"

namespace steptrace::cli {

// The value of an environment variable; nullopt: not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;
Environment ProcessEnvironment();

// The file of settings, which need not be there: STEPTRACE_CONFIG, else ./steptrace.toml.
std::filesystem::path SettingsFile(const Environment& environment);

// Reads the file of settings (where STEPTRACE_CONFIG names one, it must be there), then the
// environment over it. An unknown key, a wrong type or a value out of range is an error that names
// the file, the line and the key.
Result<Settings> LoadSettings(const Environment& environment);

// The same on given text; `source` names it in messages.
Status ApplyToml(std::string_view text, std::string_view source, Settings& settings);
Status ApplyEnvironment(const Environment& environment, Settings& settings);

// Whether the type of machine that was named is one of those listed; no name always is. For
// commands that make use of it, once flags have been read.
Status CheckInstance(const Settings& settings);

// The STEPTRACE_* of an environment ("NAME=value") that nothing of ours reads: misspelt, perhaps.
std::vector<std::string> UnknownVariables(const std::vector<std::string>& environment);
std::string KnownVariables();  // those that set something, with commas

// A setting, its value now, and where that comes from: a variable, the file, or the default.
struct SettingInForce {
  std::string key, value, from;
};
std::vector<SettingInForce> SettingsInForce(const Settings& settings,
                                            const Environment& environment);

// The table of settings as Markdown.
std::string SettingsMarkdown();

}  // namespace steptrace::cli
