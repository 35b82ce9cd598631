// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/python_api.h"

namespace steptrace::probe {

// The id of a name that a script gave; 0, which records nothing, for what is no number.
uint32_t NameIdOf(PyObject* object);

// The class Range of python/steptrace/_probe.pyi: a new reference, or null with an error set.
PyObject* NewRangeType();

}  // namespace steptrace::probe
