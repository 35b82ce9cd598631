// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "import/source.h"

namespace steptrace::import {

enum class Format {
  kUnknown,
  kKineto,                // PyTorch Profiler
  kChrome,                // any other file of Chrome trace events
  kPerfetto,              // Perfetto's protobuf, by whatever wrote it
  kSageMakerSystem,       // Debugger: system metrics, a JSON object a line
  kSageMakerFramework,    // Debugger: framework events of PyTorch and TensorFlow
  kHorovod,               // Horovod's timeline, by Debugger or by itself
  kTensorFlow,            // a TensorFlow timeline
  kSageMakerPythonStats,  // Debugger: Python profiles
};

// The format by the first bytes of the unpacked content. The place of the file decides only between
// formats whose content is the same.
Format Detect(const Source& source, std::string_view head);
const char* NameOf(Format format);

// For an error: what content of no known format looks like ("a ZIP archive", "text", ...).
std::string LooksLike(std::string_view head);

}  // namespace steptrace::import
