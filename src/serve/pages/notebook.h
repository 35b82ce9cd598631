// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analyze/report/report.h"
#include "base/result.h"

namespace steptrace::pages {

struct NotebookRun {
  analyze::Report report;
  std::filesystem::path path;  // by which a cell opens the run, seen from the notebook's folder
};

// The run as a Jupyter notebook (nbformat 4.5) whose cells ask the Python package for what the
// report holds, from the verdict down to its rows; what the run has no source for has no cell. It
// runs from top to bottom, and has no results yet (cli/notebook_results.h). Of two runs it begins
// with what changed between them.
std::string NotebookOf(const std::vector<NotebookRun>& runs);

// Writes it whole or not at all; destination "-": standard output.
Status WriteNotebook(const std::string& notebook, const std::filesystem::path& destination);

}  // namespace steptrace::pages
