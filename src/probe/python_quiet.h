// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/python_api.h"

namespace steptrace::probe {

// The class Quiet of python/steptrace/_probe.pyi: a new reference, or null with an error set.
PyObject* NewQuietType();

}  // namespace steptrace::probe
