// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "import/core/sources/source.h"

namespace steptrace::import::sagemaker {

// What a job under Debugger leaves: its own files, and those of the tools that it runs.
enum class Dialect : uint8_t {
  kSystem,       // system metrics, a JSON object a line
  kFramework,    // framework events of PyTorch and TensorFlow
  kHorovod,      // Horovod's timeline, by Debugger or by itself
  kTensorFlow,   // a TensorFlow timeline
  kPythonStats,  // Python profiles
};

// As the run says what its files are.
const char* NameOf(Dialect dialect);

// Of a file by its first bytes; none: it is none of these. An empty file is known by its name
// alone: TensorFlow's .metadata, whose name holds the time base.
std::optional<Dialect> DetectDialect(const Source& source, std::string_view head);

}  // namespace steptrace::import::sagemaker
