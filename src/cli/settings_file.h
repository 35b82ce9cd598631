// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"

namespace steptrace::cli {

// Hand-written; far more than settings ever need.
inline constexpr int64_t kMaxSettingsBytes = 1 << 20;

enum class SettingsNeed { kMayBeAbsent, kMustBeThere };

// What the file of settings holds; nullopt: there is none. Never waits: the file may be made while
// a command runs, by anybody who may write to its folder. The null device is empty. What else is
// no regular file, a link to nothing, what is over kMaxSettingsBytes or cannot be read is an error.
Result<std::optional<std::string>> ReadSettingsFile(const std::filesystem::path& file,
                                                    SettingsNeed need);

}  // namespace steptrace::cli
