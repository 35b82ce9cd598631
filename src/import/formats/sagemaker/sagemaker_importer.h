// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "import/core/importer.h"

namespace steptrace::import::sagemaker {

// What a job under SageMaker Debugger leaves, whose files tell together which process is which.
extern const Importer kSageMakerImporter;

}  // namespace steptrace::import::sagemaker
