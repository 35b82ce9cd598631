// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "import/part_sink.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::import {

// Gives slices the number of the step that they belong to, as far as none was told: the N of
// ProfilerStep#N, a `user_annotation`. A host's slice belongs to the step in which it begins, begin
// included, end not, of two that overlap to the one that began last, as in live runs; a device's
// to the step of the host's slice that launched it, which has its correlation. Without such a
// slice, before, after and between steps there is none.
//
// `slices` are all of a rank, by begin; `tracks` those of the part, by number. Without marks
// nothing is done, in a look at each slice's category.
void SetSteps(std::span<Slice* const> slices, std::span<const store::TrackRow> tracks,
              const store::StringTable& strings);

}  // namespace steptrace::import
