// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/cuda_abi.h"

namespace steptrace::probe {

// The CUDA driver that this process has loaded itself; nothing is loaded and nothing initialized.
// Null: it is there. Else why not, a sentence.
const char* FindCuda(cuda::Functions* out);

}  // namespace steptrace::probe
