// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "import/import_profiles.h"

namespace steptrace::rpc {

struct ImportRequest {
  std::vector<std::string> paths;
  std::filesystem::path output;  // empty: a new folder, named after the profile, in `folder`
  std::filesystem::path folder;  // where runs are gathered
  std::string name;
  Redactor redactor;
  mode_t folder_mode = kPrivateFolder;
  int64_t max_bytes = 0;  // 0: as import::Limits says
  int32_t max_depth = import::Limits{}.max_depth;
  std::function<bool()> stopped;  // asked now and then, by several threads: whether to give up
};

}  // namespace steptrace::rpc
