// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "import/core/importer.h"

namespace steptrace::import::perfetto {

// Perfetto's traces: a file is a rank, but for those that Steptrace wrote, which hold a whole run.
extern const Importer kPerfettoImporter;

}  // namespace steptrace::import::perfetto
