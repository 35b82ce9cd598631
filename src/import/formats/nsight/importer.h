// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "import/core/importer.h"

namespace steptrace::import::nsight {

// SQLite exports of NVIDIA Nsight Systems: a file is what ran on one machine, a rank a process.
extern const Importer kNsightImporter;

}  // namespace steptrace::import::nsight
