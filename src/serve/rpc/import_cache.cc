// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/import_cache.h"

#include <nettle/sha2.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <set>
#include <system_error>
#include <vector>

#include "serve/rpc/imported_before.h"
#include "store/run_files.h"

namespace steptrace::rpc {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStamp = "content.sha256";
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
    std::error_code failed;
    const auto used = fs::last_write_time(it->path() / kStamp, failed);
    // What has no mark of ours is being made, or is none of ours.
    if (!failed) runs.push_back({it->path(), used, BytesIn(it->path())});
  }
  std::sort(runs.begin(), runs.end(),
            [](const CachedRun& a, const CachedRun& b) { return a.used < b.used; });
  return runs;
}

}  // namespace

fs::path ImportCacheFolder(const std::string& xdg, const std::string& home) {
  if (fs::path(xdg).is_absolute()) return fs::path(xdg) / "steptrace" / "imports";
  if (fs::path(home).is_absolute()) return fs::path(home) / ".cache" / "steptrace" / "imports";
  return {};
}

std::string ContentStamp(const ImportRequest& request, int64_t most_bytes) {
  const auto files = SourceFiles(request);
  if (!files) return "";
  Sha256 sum;
  AddText(LimitsStamp(request), sum);
  int64_t left = most_bytes;
  for (const fs::path& path : *files) {
    std::error_code error;
    const auto size = fs::file_size(path, error);
    if (error || static_cast<int64_t>(size) > left) return "";
    left -= static_cast<int64_t>(size);
    // Names count: a rank may be told by them. Folders above do not.
    AddText(path.filename().string(), sum);
    AddText(std::to_string(size), sum);
    if (!AddFile(path, sum)) return "";
  }
  return sum.Hex() + "\n";
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

void TouchCached(const fs::path& run) {
  std::error_code ignored;
  fs::last_write_time(run / kStamp, fs::file_time_type::clock::now(), ignored);
}

void TrimCache(const fs::path& cache, int64_t most_bytes, const fs::path& keep) {
  std::vector<CachedRun> runs = RunsOf(cache);
  int64_t bytes = 0;
  for (const CachedRun& run : runs) bytes += run.bytes;
  const auto in_use_since = fs::file_time_type::clock::now() - kInUse;
  for (const CachedRun& run : runs) {
    if (bytes <= most_bytes) return;
    if (run.path == keep || run.used > in_use_since) continue;
    std::error_code error;
    // Under another name first: nobody finds half a run.
    const fs::path gone = cache / ("." + run.path.filename().string() + ".removed");
    fs::rename(run.path, gone, error);
    if (error) continue;
    fs::remove_all(gone, error);
    bytes -= run.bytes;
  }
}

}  // namespace steptrace::rpc
