// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "analyze/tensors/tensors_section.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::analyze {

// What the processes told of how they look at their tensors; null: none was asked to. Of each what
// it told last.
std::optional<TensorRecording> ReadTensorRecording(std::span<const store::RunMetadataRow> facts,
                                                   const store::StringTable& strings);

}  // namespace steptrace::analyze
