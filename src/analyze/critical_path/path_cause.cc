// SPDX-License-Identifier: Apache-2.0
#include "analyze/critical_path/path_cause.h"

#include <cstddef>

namespace steptrace::analyze {

const char* NameOf(PathCause cause) {
  constexpr const char* kNames[] = {
      "host",         "data",          "launch",          "compute",
      "memory",       "communication", "synchronisation", "device_gap",
      "not_recorded", "not_linked"};
  return kNames[static_cast<size_t>(cause)];
}

}  // namespace steptrace::analyze
