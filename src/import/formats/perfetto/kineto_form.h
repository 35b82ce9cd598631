// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "import/formats/perfetto/annotations.h"

// PyTorch's exporters for Perfetto (pytorch/kineto, PerfettoTraceBuilder.cpp; pytorch/pytorch,
// torch/csrc/profiler/cupti and cuspy, *_pftrace.cpp) write what their JSON holds, in other places.
namespace steptrace::import::perfetto {

// Kineto's builder puts all arguments into one text, the inside of a JSON object ("metadata"), and
// calls the correlation correlation_id: both become arguments like those of the JSON.
void SpreadKinetoArguments(int32_t max_depth, Annotations* annotations);

// The category of an event that has none, by the arguments that only events of that kind have;
// empty: it could be anything.
std::string_view KinetoCategory(std::string_view name, const Annotations& annotations);

// The category of a stage on a GPU's hardware queue, by the stage's name.
std::string CategoryOfStage(std::string_view stage);

}  // namespace steptrace::import::perfetto
