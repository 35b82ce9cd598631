// SPDX-License-Identifier: Apache-2.0
#include "import/core/importer.h"

#include <algorithm>
#include <thread>

namespace steptrace::import {

size_t Parallel::Threads() const {
  return threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace steptrace::import
