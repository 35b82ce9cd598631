// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/random.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "base/time.h"

namespace steptrace {

// Eight random hexadecimal digits, for a name that no other process chooses.
inline std::string RandomDigits() {
  uint32_t bits = 0;
  if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof bits)) {
    bits = static_cast<uint32_t>(MonotonicNowNs()) ^ static_cast<uint32_t>(getpid() << 12);
  }
  char text[9];
  std::snprintf(text, sizeof text, "%08x", bits);
  return text;
}

}  // namespace steptrace
