// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "import/format.h"
#include "import/source.h"

namespace steptrace::import::sagemaker {

// The format of a file of SageMaker Debugger, Horovod or the TensorFlow profiler by its first
// bytes; kUnknown: none of them. An empty file is known by its name alone: TensorFlow's .metadata,
// whose name holds the time base.
Format DetectSageMaker(const Source& source, std::string_view head);

}  // namespace steptrace::import::sagemaker
