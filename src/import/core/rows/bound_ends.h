// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"
#include "import/core/rows/part.h"
#include "import/core/rows/spill_file.h"
#include "store/string_table.h"

namespace steptrace::import {

// Bounds what cannot be of a part that is whole: the work of a stream that ends after the next one
// began (StreamOrder), and what lasts longer than the profiler says that it recorded. Counted as
// impossible_duration, with the time that was cut. `file` takes what is beyond `most_bytes` of
// memory.
Status BoundEnds(Part& part, const store::StringTable& strings, SpillFile& file,
                 int64_t most_bytes);

}  // namespace steptrace::import
