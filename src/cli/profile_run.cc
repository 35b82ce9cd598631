// SPDX-License-Identifier: Apache-2.0
#include "cli/profile_run.h"

#include <string>
#include <system_error>
#include <utility>

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
  return there && rpc::IsOwnCache(cache) ? cache : fs::path();
}

void PrintUnchanged(const fs::path& run) {
  PrintMessage("unchanged since it was imported as " + run.string());
}

Result<ProfileRun> RunInCache(rpc::ImportRequest request, const Settings& settings) {
  const fs::path cache = request.folder;
  const std::string source = rpc::SourceStamp(request);
  auto before = rpc::ImportedBefore(cache, source);
  const std::string content = before ? "" : rpc::ContentStamp(request, kMostHashedBytes);
  if (!before) before = rpc::CachedContent(cache, content);
  if (before) {
    UniqueFd in_use = rpc::HoldCached(*before);
    if (in_use.valid()) {
      rpc::TouchCached(*before);
      PrintUnchanged(*before);
      return ProfileRun{*before, std::move(in_use)};
    }
  }
  STEPTRACE_ASSIGN_OR_RETURN(const auto imported, ImportWithProgress(request));
  rpc::KeepContentStamp(imported.run, rpc::ContentOfUnchanged(request, source, content));
  UniqueFd in_use = rpc::HoldCached(imported.run);
  rpc::TrimCache(cache, settings.cache_mb * 1'000'000, imported.run);
  PrintMessage("imported into the cache, as " + imported.run.string() +
               "; `steptrace import` keeps a run");
  return ProfileRun{imported.run, std::move(in_use)};
}

}  // namespace

Result<ProfileRun> RunOfProfile(rpc::ImportRequest request, const Settings& settings,
                                RunLasts lasts) {
  UseSettings(settings, request);
  fs::path cache = lasts == RunLasts::kForGood ? fs::path() : CacheOf(settings);
  if (!cache.empty()) {
    request.folder = std::move(cache);
    request.folder_mode = kPrivateFolder;
    return RunInCache(std::move(request), settings);
  }
  if (auto before = rpc::ImportedBefore(request.folder, rpc::SourceStamp(request))) {
    PrintUnchanged(*before);
    return ProfileRun{*before};
  }
  STEPTRACE_ASSIGN_OR_RETURN(const auto imported, ImportWithProgress(request));
  PrintMessage("imported as " + imported.run.string());
  return ProfileRun{imported.run};
}

}  // namespace steptrace::cli
