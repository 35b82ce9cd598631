// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "import/core/importer.h"

namespace steptrace::import {

// The only list of formats. Files are read in its order, which decides about ranks that no file
// names; of two importers that are equally sure of a file the first gets it.
std::span<const Importer* const> Importers();

// "PyTorch Profiler (Kineto), Perfetto, ..."
std::string ImporterTitles();
// The table of docs/reference/import.md.
std::string ImporterMarkdown();

}  // namespace steptrace::import
