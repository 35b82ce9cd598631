// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "store/manifest.h"

namespace steptrace::agent {

// Of which job a run is, as schedulers and launchers tell it to what they start: by variables of
// the environment. `variable` gives one, nullptr where it is not set.
store::RunIdentity IdentityFrom(const std::function<const char*(const char* name)>& variable);

}  // namespace steptrace::agent
