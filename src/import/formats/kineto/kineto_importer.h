// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "import/core/importer.h"

namespace steptrace::import::kineto {

extern const Importer kKinetoImporter;  // of PyTorch Profiler
extern const Importer kChromeImporter;  // any other file of Chrome trace events

}  // namespace steptrace::import::kineto
