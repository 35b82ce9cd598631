// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

namespace steptrace::import {

// In place of std::bad_alloc, which would end the program where a thread lets it out, with what was
// written so far left behind.
inline Error OutOfMemory() {
  return Error{"import: not enough memory", "free some memory, or import fewer files at once",
               Error::Kind::kOutOfMemory};
}

}  // namespace steptrace::import
