// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/join.h"

#include "serve/rpc/import.h"
#include "serve/rpc/run_path.h"
#include "store/manifest.h"
#include "store/run_names.h"

namespace steptrace::rpc {

Result<runs::JoinSummary> JoinRuns(const JoinRequest& request,
                                   const std::function<void(int64_t, int64_t)>& progress) {
  std::vector<std::filesystem::path> runs;
  for (const std::string& text : request.runs) {
    STEPTRACE_ASSIGN_OR_RETURN(auto run, ResolveRun(text, request.folder));
    runs.push_back(std::move(run));
  }
  runs::JoinOptions options;
  options.output = request.output;
  options.name = request.name;
  options.folder_mode = request.folder_mode;
  options.stopped = request.stopped;
  options.progress = progress;
  if (options.output.empty() && !runs.empty()) {
    std::string name = request.name;
    if (name.empty()) {
      STEPTRACE_ASSIGN_OR_RETURN(auto manifest, store::ReadManifest(runs.front()));
      name = manifest.name + "-joined";
    }
    STEPTRACE_ASSIGN_OR_RETURN(
        options.output, FreeFolder(request.folder, store::FolderName(name), request.folder_mode));
  }
  return runs::JoinRuns(runs, options);
}

}  // namespace steptrace::rpc
