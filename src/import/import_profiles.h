// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/inherited_mode.h"
#include "base/redactor.h"
#include "base/result.h"
#include "import/core/importer.h"

// Foreign profiles in: paths to a run.
namespace steptrace::import {

struct ImportOptions {
  std::filesystem::path output;  // the run's folder; must not exist
  std::string name;              // of the run; empty: from the first path
  Limits limits;
  Parallel parallel;
  Redactor redactor;
  mode_t folder_mode = kPrivateFolder;  // of the run
  // Asked now and then, by several threads: whether to give up. The import is then an error.
  std::function<bool()> stopped;
  // Adds to the run in its folder, before it appears: an error fails the import.
  std::function<Status(const std::filesystem::path& run)> complete;
};

// Told now and then: bytes read of all sources, of how many.
using Progress = std::function<void(int64_t done, int64_t total)>;

struct ImportSummary {
  std::filesystem::path run;
  std::string name;
  int64_t files = 0;   // of which something is in the run
  int64_t events = 0;  // rows stored
  int64_t ranks = 0;
  int64_t losses = 0;              // rows of the table
  std::vector<std::string> notes;  // what a user should know: files left out, ranks told apart
};

// Reads all of what the paths hold into one new run. The run appears by a rename at the end, when
// what was written has been read back: a failed import leaves nothing.
Result<ImportSummary> Import(const std::vector<std::string>& paths, const ImportOptions& options,
                             const Progress& progress = {});

// The name of a profile: that of its file or folder, without endings.
std::string NameOfPath(const std::string& path);

}  // namespace steptrace::import
