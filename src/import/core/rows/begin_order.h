// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "import/core/rows/huge_pages.h"
#include "import/core/rows/slice_block.h"

namespace steptrace::import {

// The rows of a group by begin, of one begin the longer first, for what encloses precedes. Stable.
HugeVector<uint64_t> OrderByBegin(const SliceGroup& slices);

}  // namespace steptrace::import
