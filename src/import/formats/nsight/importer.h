// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "import/core/importer.h"

namespace steptrace::import::nsight {

// SQLite exports of NVIDIA Nsight Systems: a file holds one machine, with a rank for each process
// that used a GPU.
extern const Importer kNsightImporter;

}  // namespace steptrace::import::nsight
