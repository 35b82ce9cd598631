// SPDX-License-Identifier: Apache-2.0
#include "cli/profile_run.h"

#include <system_error>

#include "base/inherited_mode.h"
#include "cli/command_import.h"
#include "cli/terminal.h"
#include "serve/rpc/import_cache.h"
#include "serve/rpc/imported_before.h"
#include "store/run_files.h"

namespace steptrace::cli {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostHashedBytes = 256 << 20;  // a quarter of a second to read and hash

// Where imports of reports lie; empty: in the folder of runs.
fs::path CacheOf(const Settings& settings) {
  if (settings.folder != Settings{}.folder || settings.cache_mb == 0) return {};
  const Environment environment = ProcessEnvironment();
  const fs::path cache = rpc::ImportCacheFolder(environment("XDG_CACHE_HOME").value_or(""),
                                                environment("HOME").value_or(""));
  std::error_code error;
  if (!cache.empty()) fs::create_directories(cache.parent_path(), error);
  const bool there = !cache.empty() && !error && !store::MakeFolderOfRuns(cache, kPrivateFolder);
  return there ? cache : fs::path();
}

fs::path Unchanged(fs::path run) {
  Say("unchanged since it was imported as " + run.string());
  return run;
}

Result<fs::path> RunInCache(rpc::ImportRequest request, const Settings& settings) {
  const fs::path cache = request.folder;
  const auto before = rpc::ImportedBefore(cache, rpc::SourceStamp(request));
  const std::string content = before ? "" : rpc::ContentStamp(request, kMostHashedBytes);
  if (const auto run = before ? before : rpc::CachedContent(cache, content)) {
    rpc::TouchCached(*run);
    return Unchanged(*run);
  }
  STEPTRACE_ASSIGN_OR_RETURN(const auto imported, ImportWithProgress(request));
  rpc::KeepContentStamp(imported.run, content);
  rpc::TrimCache(cache, settings.cache_mb * 1'000'000, imported.run);
  Say("imported into the cache, as " + imported.run.string() + "; `steptrace import` keeps a run");
  return imported.run;
}

}  // namespace

Result<fs::path> RunOfProfile(rpc::ImportRequest request, const Settings& settings) {
  UseSettings(settings, request);
  if (fs::path cache = CacheOf(settings); !cache.empty()) {
    request.folder = std::move(cache);
    request.folder_mode = kPrivateFolder;
    return RunInCache(std::move(request), settings);
  }
  if (auto before = rpc::ImportedBefore(request.folder, rpc::SourceStamp(request))) {
    return Unchanged(*before);
  }
  STEPTRACE_ASSIGN_OR_RETURN(const auto imported, ImportWithProgress(request));
  Say("imported as " + imported.run.string());
  return imported.run;
}

}  // namespace steptrace::cli
