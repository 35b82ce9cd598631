// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "import/core/importer.h"

namespace steptrace::import::kineto {

// Kineto's JSON in its dialects, and any other file of Chrome trace events: a file is a rank.
// `format` is what the run says of where it is from.
Status ImportTraceEvents(std::span<const DetectedSource> sources, std::string_view format,
                         const ImportContext& context, RunSink& sink);

}  // namespace steptrace::import::kineto
