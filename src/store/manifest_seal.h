// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace steptrace::store {

// Whether a manifest of format 2 or later is as it was written, to the last byte: its last field is
// a checksum of what stands before it, in each of these formats.
bool IsSealed(std::string_view json);

}  // namespace steptrace::store
