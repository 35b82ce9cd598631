// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "cli/settings_values.h"

// What can be set, once each: for the file of settings, the environment and the page that lists
// them.
namespace steptrace::cli {

using Texts = std::vector<std::string>;
using SettingValue = std::variant<bool, int64_t, double, std::string, Texts>;

// One setting: how it is called in each place, how a value of its type gets in, and what it is
// where nobody sets it.
enum class SettingType { kText, kTexts, kWholeNumber, kNumber, kFlag };

struct Setting {
  const char* key;
  const char* variable;
  SettingType type;
  const char* sentence;
  std::function<Status(const SettingValue&, Settings&)> set;
  std::function<std::string(const Settings&)> shown;
};

const char* NameOfType(SettingType type);

const std::vector<Setting>& AllSettings();

}  // namespace steptrace::cli
