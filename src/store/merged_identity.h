// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "store/manifest.h"

namespace steptrace::store {

// Of a run of several parts, what they tell together: each field, and each tag, as those parts have
// it that know it; absent where two of them differ.
RunIdentity MergedIdentity(const std::vector<RunIdentity>& parts);

}  // namespace steptrace::store
