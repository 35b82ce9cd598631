// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"

namespace steptrace::cli {

// The Python package `steptrace` that belongs to this executable: the folder that holds
// _probe.abi3.so, bootstrap/ and compat/. STEPTRACE_PACKAGE_DIR wins; then what lies next to the
// libraries that were loaded with us (a wheel), then beside the executable (an environment, a tree
// under development).
Result<std::filesystem::path> PackageDir();

// Where PackageDir() looks, in order; for its error and for `steptrace doctor`.
std::vector<std::filesystem::path> PackageDirCandidates();

// This executable, by its own link in /proc.
std::filesystem::path ExecutablePath();

}  // namespace steptrace::cli
