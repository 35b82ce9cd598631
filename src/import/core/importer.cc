// SPDX-License-Identifier: Apache-2.0
#include "import/core/importer.h"

#include <algorithm>

#include "base/in_parallel.h"

namespace steptrace::import {

size_t Parallel::Threads() const {
  return threads > 0 ? threads : std::max<size_t>(1, CoresOfProcess());
}

}  // namespace steptrace::import
