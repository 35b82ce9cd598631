// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/import_cache.h"

#include <fcntl.h>
#include <nettle/sha2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "serve/rpc/imported_before.h"
#include "store/run_files.h"

namespace steptrace::rpc {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStamp = "content.sha256";
constexpr std::string_view kGone = ".removed";
constexpr std::chrono::minutes kInUse{10};

class Sha256 {
 public:
  Sha256() { sha256_init(&state_); }
  void Add(std::string_view bytes) {
    sha256_update(&state_, bytes.size(), reinterpret_cast<const uint8_t*>(bytes.data()));
  }
  std::string Hex() {
    std::array<uint8_t, SHA256_DIGEST_SIZE> digest{};
    sha256_digest(&state_, digest.size(), digest.data());
    std::string hex;
    for (const uint8_t byte : digest) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      hex += kDigits[byte >> 4];
      hex += kDigits[byte & 15];
    }
    return hex;
  }

 private:
  sha256_ctx state_{};
};

// With its length in front, so that no two lists of texts are one.
void AddText(const std::string& text, Sha256& sum) {
  sum.Add(std::to_string(text.size()) + ":");
  sum.Add(text);
}

bool AddFile(const fs::path& path, Sha256& sum) {
  std::ifstream in(path, std::ios::binary);
  std::vector<char> buffer(1 << 20);
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0) {
    sum.Add({buffer.data(), static_cast<size_t>(in.gcount())});
  }
  return in.eof();
}

struct CachedRun {
  fs::path path;
  fs::file_time_type used;
  int64_t bytes = 0;
};

int64_t BytesIn(const fs::path& folder) {
  int64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code failed;
    if (!it->is_regular_file(failed)) continue;
    const auto size = it->file_size(failed);
    if (!failed) bytes += static_cast<int64_t>(size);
  }
  return bytes;
}

std::vector<CachedRun> RunsOf(const fs::path& cache) {
  std::vector<CachedRun> runs;
  std::error_code error;
  for (fs::directory_iterator it(cache, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with(".")) continue;  // being made, or removed
    std::error_code failed;
    const auto used = fs::last_write_time(it->path() / kStamp, failed);
    // What has no mark of ours is being made, or is none of ours.
    if (!failed) runs.push_back({it->path(), used, BytesIn(it->path())});
  }
  std::sort(runs.begin(), runs.end(),
            [](const CachedRun& a, const CachedRun& b) { return a.used < b.used; });
  return runs;
}

UniqueFd OpenFolder(const fs::path& folder) {
  return UniqueFd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// Whether somebody else has a lock that is in the way. Where the file system has no locks nobody.
bool IsLockedOut(const UniqueFd& folder, int lock) {
  return ::flock(folder.get(), lock | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

bool IsStillAt(const UniqueFd& folder, const fs::path& path) {
  struct stat held {
  }, there{};
  return ::fstat(folder.get(), &held) == 0 && ::lstat(path.c_str(), &there) == 0 &&
         held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

// What a process left that ended while it removed a run.
void RemoveRest(const fs::path& cache) {
  std::vector<fs::path> gone;
  std::error_code error;
  for (fs::directory_iterator it(cache, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(".") && name.ends_with(kGone)) gone.push_back(it->path());
  }
  for (const fs::path& path : gone) fs::remove_all(path, error);
}

bool RemoveRun(const fs::path& cache, const fs::path& run) {
  const UniqueFd folder = OpenFolder(run);
  if (!folder.valid() || IsLockedOut(folder, LOCK_EX)) return false;
  // Under another name first: nobody finds half a run.
  const fs::path gone = cache / ("." + run.filename().string() + std::string(kGone));
  std::error_code error;
  fs::rename(run, gone, error);
  if (error) return false;
  fs::remove_all(gone, error);
  return !error;
}

// Under which name a file is read: of a folder its path within. A rank may be told by it.
std::string NameWithin(const fs::path& top, const fs::path& file) {
  std::error_code error;
  const fs::path whole = fs::canonical(top, error);
  if (!fs::is_directory(whole, error)) return top.filename().string();
  return file.lexically_relative(whole).string();
}

bool AddFilesOf(const ImportRequest& one, int64_t& left, Sha256& sum) {
  const auto files = SourceFiles(one);
  if (!files) return false;
  for (const fs::path& path : *files) {
    std::error_code error;
    const auto size = fs::file_size(path, error);
    if (error || static_cast<int64_t>(size) > left) return false;
    left -= static_cast<int64_t>(size);
    AddText(NameWithin(one.paths.front(), path), sum);
    AddText(std::to_string(size), sum);
    if (!AddFile(path, sum)) return false;
  }
  return true;
}

}  // namespace

fs::path ImportCacheFolder(const std::string& xdg, const std::string& home) {
  if (fs::path(xdg).is_absolute()) return fs::path(xdg) / "steptrace" / "imports";
  if (fs::path(home).is_absolute()) return fs::path(home) / ".cache" / "steptrace" / "imports";
  return {};
}

bool IsOwnCache(const fs::path& cache) {
  struct stat facts {};
  return ::lstat(cache.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
         facts.st_uid == ::geteuid() && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
         ::access(cache.c_str(), W_OK | X_OK) == 0;
}

std::string ContentStamp(const ImportRequest& request, int64_t most_bytes) {
  Sha256 sum;
  AddText(LimitsStamp(request), sum);
  int64_t left = most_bytes;
  ImportRequest one = request;
  for (const std::string& path : request.paths) {
    one.paths = {path};
    if (!AddFilesOf(one, left, sum)) return "";
  }
  return sum.Hex() + "\n";
}

std::string ContentOfUnchanged(const ImportRequest& request, const std::string& source,
                               std::string content) {
  const bool same = !source.empty() && SourceStamp(request) == source;
  return same ? std::move(content) : std::string();
}

void KeepContentStamp(const fs::path& run, const std::string& stamp) {
  // Also an empty one: it marks a run of the cache, and its time says when it was used.
  (void)store::ReplaceFile(run / kStamp, stamp).ok();
}

std::optional<fs::path> CachedContent(const fs::path& cache, const std::string& stamp) {
  if (stamp.empty()) return std::nullopt;
  std::vector<CachedRun> runs = RunsOf(cache);
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    const auto kept = store::ReadFile(run->path / kStamp, static_cast<int64_t>(stamp.size()) + 1);
    if (kept.ok() && *kept == stamp && IsWholeImport(run->path)) return run->path;
  }
  return std::nullopt;
}

UniqueFd HoldCached(const fs::path& run) {
  UniqueFd folder = OpenFolder(run);
  if (!folder.valid() || IsLockedOut(folder, LOCK_SH) || !IsStillAt(folder, run)) return {};
  return folder;
}

void TouchCached(const fs::path& run) {
  std::error_code failed;
  fs::last_write_time(run / kStamp, fs::file_time_type::clock::now(), failed);
  // Whoever made it did not come to mark it: without, it would never be removed.
  if (failed == std::errc::no_such_file_or_directory) KeepContentStamp(run, "");
}

void TrimCache(const fs::path& cache, int64_t most_bytes, const fs::path& keep) {
  RemoveRest(cache);
  std::vector<CachedRun> runs = RunsOf(cache);
  int64_t bytes = 0;
  for (const CachedRun& run : runs) bytes += run.bytes;
  const auto in_use_since = fs::file_time_type::clock::now() - kInUse;
  for (const CachedRun& run : runs) {
    if (bytes <= most_bytes) return;
    if (run.path == keep || run.used > in_use_since) continue;
    if (RemoveRun(cache, run.path)) bytes -= run.bytes;
  }
}

}  // namespace steptrace::rpc
