// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "import/core/bytes/byte_stream.h"
#include "import/core/rows/run_sink.h"
#include "import/core/sources/source.h"
#include "store/stored_words.h"

// What an importer of a format is, and what it gets.
namespace steptrace::import {

// How an import uses the machine. The run is the same for all of it.
struct Parallel {
  size_t threads = 0;             // that read; 0: as many as there are cores
  int64_t piece_bytes = 2 << 20;  // of a file that several threads read
  size_t Threads() const;
};

// What an importer gets besides its sources.
struct ImportContext {
  Limits limits;
  std::function<void(int64_t bytes)> advanced;  // call with the bytes read since the last call
  Parallel parallel = {};
  // Whether nobody wants the import any more, which the streams of sources say by themselves: for
  // who reads a file without one. None: never.
  std::function<bool()> stopped = {};
};

// How sure an importer is that a file is its own. The surest one gets it, of those alike the first.
enum class Confidence : uint8_t {
  kNone,      // it is not
  kShape,     // its shape fits, and that of other formats may
  kMarks,     // it has marks of the format, which others may borrow
  kOwnMarks,  // it has marks that only this format's writers make
  kEncoding   // no other format is encoded like that
};

// What an importer makes of the first bytes of a file.
struct Detection {
  Confidence confidence = Confidence::kNone;
  // Of a file that it knows and cannot read: what that is. The user is told.
  std::string reason = {};
  // Which of the importer's own formats it is. Import gets it back.
  uint8_t dialect = 0;
  // Of a file that it cannot read: what works instead.
  std::string way = {};
};

// A file, and the dialect by which its importer detected it.
struct DetectedSource {
  Source source;
  uint8_t dialect = 0;
};

// For users, a row of the table in docs/reference/import.md, in Markdown.
struct ReadFiles {
  std::string_view files;  // what they are
  std::string_view known_by;
  std::string_view become;
};

// A foreign format, or some that make sense only together. All there are: import/importers.h.
struct Importer {
  store::ProfileFormat format;  // as the run says what its files are
  std::string_view writer;      // for a user: whose profiles these are
  // Of a file by its first bytes, unpacked. Its place decides only between formats whose content
  // is the same.
  Detection (*detect)(std::string_view head, const Source& source);
  // Takes all sources that are its own, makes a part for each rank that it finds. An error means
  // that nothing of them can be used; damage is told as losses.
  Status (*import)(std::span<const DetectedSource> sources, const ImportContext& context,
                   RunSink& sink);
  // Whether a part of the run may be made of several files, whose rows are then theirs together.
  bool joins_files = false;
  std::string_view title = {};                // for a user: "PyTorch Profiler (Kineto)"
  std::span<const ReadFiles> reads = {};      // at least one row
  std::span<const char* const> endings = {};  // of their names, which are no part of a run's name
  // Paths at which writers put the same profile again, in a form that tells less: beside a file of
  // this format they are left out. None: there are no such.
  std::vector<std::string> (*copies)(const Source& own) = nullptr;
};

}  // namespace steptrace::import
