// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace steptrace::import::kineto {

// What a reader is given: a file from its begin, or a piece from its middle, before what stands
// ahead of it is known. Of a piece it refuses what depends on that.
enum class Reads : uint8_t { kFile, kPiece };

}  // namespace steptrace::import::kineto
