// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace steptrace::import {

// Whether a file without its folder ("pjit.py") has a name of JAX's own files. XLA's tracer drops
// the folders, so this is all that tells JAX's functions from the script's.
bool IsJaxFile(std::string_view file);

}  // namespace steptrace::import
