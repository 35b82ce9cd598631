// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/device_phases.h"
#include "probe/python_api.h"

// Boundaries of phases for events on the device (device_phases.h), told from Python or from a
// Phase.
namespace steptrace::probe {

// device_phases_begin(stream, device, failed): null, or why not. Holds what it is given:
// stream(device()) tells the driver's handle of torch's current stream; failed(why) is called once,
// when there will be no more boundaries, with a text or with what the first two raised.
const char* BeginBoundaries(PyObject* stream, PyObject* device, PyObject* failed);

// The thread is at that boundary. False: `failed` raised, and its error is set: it is the script's.
bool BoundaryFromPython(Boundary boundary);

}  // namespace steptrace::probe
