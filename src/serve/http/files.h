// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "serve/http/answer.h"

namespace steptrace::http {

// The pages: the files of a folder as they were listed. Shared by threads.
class Files {
 public:
  // Fails when the folder holds no index.html.
  static Result<Files> Open(const std::filesystem::path& folder);
  Files(Files&& other) noexcept
      : folder_(std::move(other.folder_)), listed_(std::move(other.listed_)) {}

  // The file of that path; of / the start page. Views have their addresses in its fragment.
  Answer Get(const Request& request);

 private:
  explicit Files(std::filesystem::path folder) : folder_(std::move(folder)) {}
  void List();
  std::optional<std::filesystem::path> Find(const std::string& path);

  std::filesystem::path folder_;
  std::mutex mutex_;
  std::map<std::string, std::filesystem::path> listed_;  // "/assets/x.js" to its file
};

}  // namespace steptrace::http
