// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/import.h"

#include <system_error>

#include "serve/rpc/imported_before.h"
#include "serve/rpc/steps.h"
#include "store/manifest.h"
#include "store/run_files.h"
#include "store/run_list.h"
#include "store/run_names.h"

namespace steptrace::rpc {
namespace {

namespace fs = std::filesystem;

// Of larger profiles the steps are stored when somebody first asks for them: deriving them here
// would take more time and memory than the import.
constexpr int64_t kMostSlices = 200'000;

}  // namespace

Result<fs::path> FreeFolder(const fs::path& folder, const std::string& name, mode_t mode) {
  constexpr int kMostOfOneName = 10'000;
  std::error_code ignored;
  (void)store::MakeFolderOfRuns(folder, mode);  // who writes to it says why it cannot be made
  for (int i = 1; i <= kMostOfOneName; ++i) {
    fs::path path = folder / (i == 1 ? name : name + "-" + std::to_string(i));
    if (!fs::exists(fs::symlink_status(path, ignored))) return path;
  }
  return Error{(folder / name).string() + ": too many runs of this name", "name one with -o"};
}

Result<import::ImportSummary> ImportProfiles(const ImportRequest& request,
                                             const import::Progress& progress) {
  import::ImportOptions options;
  options.output = request.output;
  options.name = request.name;
  options.redactor = request.redactor;
  options.folder_mode = request.folder_mode;
  options.limits.max_bytes = request.max_bytes;
  options.limits.max_depth = request.max_depth;
  options.stopped = request.stopped;
  if (options.output.empty()) {
    std::string name = store::FolderName(request.name.empty() && !request.paths.empty()
                                             ? import::NameOfPath(request.paths.front())
                                             : request.name);
    STEPTRACE_ASSIGN_OR_RETURN(options.output,
                               FreeFolder(request.folder, name, request.folder_mode));
  }
  options.complete = [](const fs::path& run) { return StoreMarkedSteps(run, kMostSlices); };
  const std::string stamp = SourceStamp(request);
  STEPTRACE_ASSIGN_OR_RETURN(auto imported, import::Import(request.paths, options, progress));
  // A file that was written meanwhile is not what was read.
  if (SourceStamp(request) == stamp) KeepStamp(imported.run, stamp);
  return imported;
}

bool IsProfile(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return true;
  if (!fs::is_directory(path, error) || store::IsRunFolder(path)) return false;
  bool any = false;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    if (store::HasManifest(it->path())) return false;  // a folder of runs
    any = true;
  }
  return any;
}

}  // namespace steptrace::rpc
