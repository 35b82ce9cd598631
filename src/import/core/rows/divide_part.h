// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "base/result.h"
#include "import/core/rows/part_sink.h"
#include "store/string_table.h"

namespace steptrace::import {

// Gives the rows of a part that has not ended, of a source that holds several ranks, to others that
// are empty: what lies on a track to the one that `places` has for it, what lies on none, and what
// was lost, to the first. Versions go to all, and facts unless they are many: then the rest of them
// is the first's. The part is dropped. While no part is filled by another thread.
Status DividePart(PartSink& whole, std::span<const size_t> places, std::span<PartSink* const> parts,
                  const store::StringTable& strings);

}  // namespace steptrace::import
