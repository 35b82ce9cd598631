// SPDX-License-Identifier: Apache-2.0
#include "serve/http/files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace steptrace::http {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStartPage = "/index.html";
constexpr std::string_view kAssets = "/assets/";
constexpr off_t kMaxFileBytes = 16 << 20;
constexpr size_t kMaxFiles = 4096;

constexpr std::array<std::pair<std::string_view, const char*>, 11> kTypes = {{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json"},
    {".map", "application/json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".ico", "image/x-icon"},
    {".woff2", "font/woff2"},
    {".txt", "text/plain; charset=utf-8"},
    {".webmanifest", "application/manifest+json"},
}};

const char* TypeOf(const fs::path& path) {
  const std::string extension = path.extension();
  for (const auto& [known, type] : kTypes) {
    if (extension == known) return type;
  }
  return "application/octet-stream";
}

}  // namespace

Result<Files> Files::Open(const fs::path& folder) {
  Files files(folder);
  files.List();
  if (!files.listed_.contains(kStartPage)) {
    return Error{fmt::format("{}: the pages are not built", folder.string()), "run `make ui`"};
  }
  return files;
}

void Files::List() {
  listed_.clear();
  std::error_code failed;
  for (fs::recursive_directory_iterator it(folder_, failed), end; !failed && it != end;
       it.increment(failed)) {
    if (!it->is_regular_file(failed) || it->is_symlink(failed)) continue;
    if (listed_.size() == kMaxFiles) return;
    listed_["/" + it->path().lexically_relative(folder_).generic_string()] = it->path();
  }
}

std::optional<fs::path> Files::Find(const std::string& path) {
  std::lock_guard lock(mutex_);
  auto found = listed_.find(path == "/" ? kStartPage : path);
  if (found == listed_.end() && path.starts_with(kAssets)) {
    List();  // built anew while we run
    found = listed_.find(path);
  }
  if (found == listed_.end()) return std::nullopt;
  return found->second;
}

Answer Files::Get(const Request& request) {
  const auto path = Find(request.path);
  if (!path && !request.path.starts_with(kAssets)) {  // a view's address, as the pages have it
    Answer answer;
    answer.status = 302;
    answer.location = "/#" + request.target;
    return answer;
  }
  struct stat facts {};
  if (!path || ::stat(path->c_str(), &facts) != 0 || facts.st_size > kMaxFileBytes) {
    return Refuse(404, {"page: no such file", "go to /"});
  }
  Answer answer;
  answer.type = TypeOf(*path);
  answer.etag =
      fmt::format("\"{:x}-{:x}-{:x}\"", facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
  // Names under assets/ change with their contents.
  answer.cache_control =
      request.path.starts_with(kAssets) ? "public, max-age=31536000, immutable" : "no-cache";
  if (request.if_none_match == answer.etag) {
    answer.status = 304;
    return answer;
  }
  std::ifstream file(*path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  answer.body = std::move(bytes).str();
  return answer;
}

}  // namespace steptrace::http
