// SPDX-License-Identifier: Apache-2.0
#include "import/text_hash.h"

#include <sys/random.h>

#include "base/time.h"

namespace steptrace::import {

uint64_t HashSeed() {
  static const uint64_t seed = [] {
    uint64_t bits = 0;
    if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof bits)) {
      bits = static_cast<uint64_t>(MonotonicNowNs());
    }
    return bits;
  }();
  return seed;
}

}  // namespace steptrace::import
