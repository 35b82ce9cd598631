// SPDX-License-Identifier: Apache-2.0
#include "cli/package_dir.h"

#include <fmt/format.h>
#include <link.h>

#include <cstdlib>
#include <string_view>
#include <system_error>

namespace steptrace::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProbe = "_probe.abi3.so";

bool IsPackage(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / kProbe, ignored) && fs::exists(folder / "__init__.py", ignored);
}

// auditwheel puts our libraries into <site-packages>/steptrace.libs, beside the package: wherever
// the loader found them is where we are installed.
int AddSiteOfBundledLibrary(dl_phdr_info* info, size_t, void* candidates) {
  fs::path library = info->dlpi_name;
  if (library.parent_path().filename() == "steptrace.libs") {
    static_cast<std::vector<fs::path>*>(candidates)
        ->push_back(library.parent_path().parent_path() / "steptrace");
    return 1;
  }
  return 0;
}

// <prefix>/bin/steptrace belongs to <prefix>/lib/python3.*/{site,dist}-packages/steptrace.
// `pip install --target` puts the package itself beside bin/.
void AddEnvironment(const fs::path& prefix, std::vector<fs::path>& candidates) {
  std::error_code error;
  candidates.push_back(prefix / "steptrace");
  for (const char* lib : {"lib", "lib64", "local/lib"}) {
    for (const auto& entry : fs::directory_iterator(prefix / lib, error)) {
      if (!entry.path().filename().string().starts_with("python3")) continue;
      for (const char* site : {"site-packages", "dist-packages"}) {
        candidates.push_back(entry.path() / site / "steptrace");
      }
    }
  }
}

// A tree under development: <tree>/build/<preset>/bin/steptrace beside <tree>/python/steptrace.
void AddTree(const fs::path& executable, std::vector<fs::path>& candidates) {
  for (fs::path up = executable.parent_path(); up != up.root_path(); up = up.parent_path()) {
    candidates.push_back(up / "python" / "steptrace");
  }
}

}  // namespace

fs::path ExecutablePath() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

std::vector<fs::path> PackageDirCandidates() {
  std::vector<fs::path> candidates;
  if (const char* given = std::getenv("STEPTRACE_PACKAGE_DIR"); given && *given) {
    return {fs::absolute(given)};
  }
  dl_iterate_phdr(AddSiteOfBundledLibrary, &candidates);
  fs::path executable = ExecutablePath();
  AddEnvironment(executable.parent_path().parent_path(), candidates);
  AddTree(executable, candidates);
  return candidates;
}

Result<fs::path> PackageDir() {
  auto candidates = PackageDirCandidates();
  for (const auto& folder : candidates) {
    if (IsPackage(folder)) {
      std::error_code error;
      fs::path real = fs::canonical(folder, error);
      return error ? folder : real;
    }
  }
  return Error{
      fmt::format("package: no Python package 'steptrace' beside {}", ExecutablePath().string()),
      fmt::format(
          "install the wheel again or set STEPTRACE_PACKAGE_DIR to the folder that holds {}",
          kProbe)};
}

}  // namespace steptrace::cli
