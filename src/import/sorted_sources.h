// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "import/core/importer.h"

namespace steptrace::import {

// A file that another one, of the same folder, holds as a whole.
struct CopiedSource {
  std::string path;
  std::string of;
};

// The files of an import by the importer that reads them, and what is left out.
struct SortedSources {
  SortedSources();

  std::vector<std::vector<DetectedSource>> by_importer;  // as Importers() has them
  std::vector<Error> unknown;                            // path: what it looks like; what works
  std::vector<Error> refused;                            // files, and folders with all in them
  std::vector<std::string> damaged;  // archives, and files of which nothing is left
  std::vector<CopiedSource> copied;

  bool empty() const;
  int64_t bytes() const;  // of all that are read
};

// Finds the importer of a file by its first bytes.
void Sort(const Source& source, const Limits& limits, SortedSources& sorted);

// All files are sorted: leaves out those that writers put beside a profile as a lesser form of it.
void LeaveOutCopies(SortedSources& sorted);

}  // namespace steptrace::import
