// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/python_api.h"

// Statistics of torch's tensors, for python/steptrace/_probe.pyi.
namespace steptrace::probe {

// tensor(name, role, element type, step, address, sizes, strides): how many elements are not
// finite; None: it was not reported. A step of None: it waits for tensors_step(). The interpreter's
// lock is given up meanwhile where it takes long: the caller holds what the address is in.
PyObject* TensorOf(PyObject* self, PyObject* const* items, Py_ssize_t count);

// tensors_step(step): those that wait are of that step.
PyObject* TensorsStep(PyObject* self, PyObject* step);

}  // namespace steptrace::probe
