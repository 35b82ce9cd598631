// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "analyze/report/report.h"
#include "base/result.h"

namespace steptrace::pages {

// The run as a Jupyter notebook (nbformat 4.5) whose cells ask the Python package for what the
// report holds, from the verdict down to its rows; what the run has no source for has no cell. No
// results are in it: it runs from top to bottom. `run` is how its first cell opens the run.
std::string NotebookOf(const analyze::Report& report, const std::filesystem::path& run);

// Writes it whole or not at all; destination "-": standard output.
Status WriteNotebook(const analyze::Report& report, const std::filesystem::path& run,
                     const std::filesystem::path& destination);

}  // namespace steptrace::pages
