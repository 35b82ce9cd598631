// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/imported_before.h"

#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "base/time.h"
#include "store/damaged_segments.h"
#include "store/run_files.h"
#include "store/run_reader.h"

namespace steptrace::rpc {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kFile = "import.json";
constexpr size_t kMostFiles = 10'000;  // to look at them all costs less than 0.1 s

int64_t Ns(const timespec& time) {
  return time.tv_sec * kNsPerSecond + time.tv_nsec;
}

// Files below a path, each once; false: more than are looked at, or some that cannot be.
bool AddFiles(const fs::path& path, std::set<fs::path>& files) {
  std::error_code error;
  const fs::path whole = fs::canonical(path, error);
  if (error) return false;
  if (!fs::is_directory(whole, error)) return !error && (files.insert(whole), true);
  for (fs::recursive_directory_iterator it(whole, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code failed;
    if (it->is_directory(failed)) continue;
    files.insert(it->path());
    if (files.size() > kMostFiles) return false;
  }
  return !error;
}

Json LimitsOf(const ImportRequest& request) {
  return {{"steptrace_version", STEPTRACE_VERSION},
          {"max_bytes", request.max_bytes},
          {"max_depth", request.max_depth},
          {"redact", request.redactor.names()}};
}

}  // namespace

std::optional<std::set<fs::path>> SourceFiles(const ImportRequest& request) {
  std::set<fs::path> files;
  for (const std::string& path : request.paths) {
    if (!AddFiles(path, files)) return std::nullopt;
  }
  return files;
}

std::string LimitsStamp(const ImportRequest& request) {
  return LimitsOf(request).dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool IsWholeImport(const fs::path& run) {
  std::error_code failed;
  if (fs::exists(run / store::kDamagedFolder, failed)) return false;
  const auto reader = store::RunReader::Open(run);
  return reader.ok() && reader->state() == store::RunState::kClosed && reader->damaged().empty();
}

std::string SourceStamp(const ImportRequest& request) {
  const auto files = SourceFiles(request);
  if (!files) return "";
  Json rows = Json::array();
  for (const fs::path& path : *files) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0) return "";
    rows.push_back({{"path", path.string()},
                    {"bytes", facts.st_size},
                    {"device", facts.st_dev},
                    {"inode", facts.st_ino},
                    {"modified_ns", Ns(facts.st_mtim)},
                    {"changed_ns", Ns(facts.st_ctim)}});
  }
  Json stamp = LimitsOf(request);
  stamp["files"] = std::move(rows);
  // A name need not be UTF-8: two that differ in such bytes alone differ in their inodes.
  return stamp.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void KeepStamp(const fs::path& run, const std::string& stamp) {
  if (!stamp.empty()) (void)store::ReplaceFile(run / kFile, stamp).ok();
}

std::optional<fs::path> ImportedBefore(const fs::path& folder, const std::string& stamp) {
  if (stamp.empty()) return std::nullopt;
  std::optional<fs::path> newest;
  fs::file_time_type newest_time{};
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with(".")) continue;  // being made, or removed
    const fs::path kept = it->path() / kFile;
    std::error_code failed;
    const auto time = fs::last_write_time(kept, failed);
    if (failed || (newest && time < newest_time)) continue;
    const auto content = store::ReadFile(kept, static_cast<int64_t>(stamp.size()) + 1);
    if (!content.ok() || *content != stamp) continue;
    if (!IsWholeImport(it->path())) continue;
    newest = it->path();
    newest_time = time;
  }
  return newest;
}

}  // namespace steptrace::rpc
