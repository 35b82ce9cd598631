// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/inherited_mode.h"
#include "base/redactor.h"
#include "base/result.h"
#include "import/format.h"
#include "import/run_sink.h"
#include "import/source.h"

// Foreign profiles in: paths to a run.
namespace steptrace::import {

// How an import uses the machine. The run is the same for all of it.
struct Parallel {
  size_t threads = 0;             // that read; 0: as many as there are cores
  int64_t piece_bytes = 2 << 20;  // of a file that several threads read
  size_t Threads() const;
};

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
// A name as a folder's: letters, digits and ._- alone, never hidden.
std::string FolderName(const std::string& name);
// The id of a run that is made: its folder's name and a random tail.
std::string NewRunId(const std::filesystem::path& output);

// What an importer of a format gets besides its sources.
struct ImportContext {
  Limits limits;
  std::function<void(int64_t bytes)> advanced;  // call with the bytes read since the last call
  Parallel parallel = {};
};

// One for each format. Takes all sources of its format, makes a part for each rank that it finds.
// An error means that nothing of the sources can be used; damage is told as losses.
Status ImportTraceEvents(std::span<const Source> sources, Format format,
                         const ImportContext& context, RunSink& sink);
Status ImportPerfetto(std::span<const Source> sources, const ImportContext& context,
                      RunSink& sink);  // src/import/perfetto
Status ImportSageMaker(std::span<const Source> sources, std::span<const Format> formats,
                       const ImportContext& context, RunSink& sink);  // src/import/sagemaker

}  // namespace steptrace::import
