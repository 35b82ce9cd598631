// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/run_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/shell_word.h"
#include "store/manifest.h"
#include "store/run_files.h"
#include "store/run_list.h"

namespace steptrace::rpc {

namespace fs = std::filesystem;

Result<fs::path> ResolveRun(const std::string& text, const fs::path& folder) {
  if (text.empty()) return store::NewestRun(folder);
  std::error_code error;
  if (fs::exists(fs::symlink_status(fs::path(text) / "run.json", error)) ||
      store::HasManifest(text)) {
    return fs::path(text);
  }
  if (error == std::errc::permission_denied) {
    return Error{fmt::format("cannot look into {}: {}", text, error.message()),
                 "ask its owner for the right to read it"};
  }
  // Without its manifest, too: who reads it says that it is missing, who repairs it goes on.
  if (store::HoldsRows(text)) return fs::path(text);
  STEPTRACE_ASSIGN_OR_RETURN(auto runs, store::ListRuns(folder));
  // A shell completes the name of a folder with a slash.
  const std::string name = text.substr(0, text.find_last_not_of('/') + 1);
  // What one run alone has goes before a name, which any newer run may have as well.
  const auto found = [&](const auto& called) -> const store::RunSummary* {
    const auto run = std::find_if(runs.begin(), runs.end(), called);  // newest first
    return run == runs.end() ? nullptr : &*run;
  };
  const store::RunSummary* run = found([&](const auto& r) { return r.path.filename() == name; });
  if (run == nullptr) run = found([&](const auto& r) { return r.id == name; });
  if (run == nullptr) run = found([&](const auto& r) { return r.name == name; });
  if (run != nullptr) return run->path;
  if (fs::is_regular_file(text, error)) {
    return Error{fmt::format("{}: is a file and not a run", text),
                 fmt::format("if it holds a profile, `steptrace import {}` makes a run of it",
                             ShellWord(text))};
  }
  if (fs::exists(text, error)) {
    return Error{fmt::format("{}: not a run (it has no manifest)", text),
                 fmt::format("`steptrace ls {}` lists the runs in a folder", ShellWord(text))};
  }
  return Error{fmt::format("{}: no such run, neither as a path nor in {}", text, folder.string()),
               "`steptrace ls` lists them"};
}

std::string ShortestName(const fs::path& run, const std::string& name, const fs::path& folder) {
  std::error_code error;
  const fs::path absolute = fs::absolute(run, error).lexically_normal();
  std::string shortest = run.string();
  bool found = false;
  for (const std::string& text : {name, absolute.filename().string(),
                                  fs::proximate(absolute, error).string(), absolute.string()}) {
    if (text.empty() || text.front() == '-' || (found && text.size() >= shortest.size())) continue;
    const auto resolved = ResolveRun(text, folder);
    if (!resolved.ok() || !fs::equivalent(*resolved, run, error) || error) continue;
    shortest = text;
    found = true;
  }
  return shortest;
}

}  // namespace steptrace::rpc
