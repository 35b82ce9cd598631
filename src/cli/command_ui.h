// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/settings.h"
#include "serve/http/api.h"

// What a server and its helper have in common.
namespace steptrace::cli {

// What is shown: a folder's runs, or one of them.
struct Shown {
  std::filesystem::path folder;
  std::optional<std::string> only;
};

struct HelperArguments {
  Shown shown;
  int64_t parent = 0;  // the process that started it
};

http::ApiOptions ApiOptionsOf(const Shown& shown, const Settings& settings);

}  // namespace steptrace::cli
