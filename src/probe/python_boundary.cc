// SPDX-License-Identifier: Apache-2.0
#include "probe/python_boundary.h"

namespace steptrace::probe {
namespace {

// With the interpreter's lock.
struct Boundaries {
  PyObject* stream;
  PyObject* device;
  PyObject* failed;
};
constinit Boundaries g_boundaries{};

void Hold(PyObject*& place, PyObject* object) {
  Py_XINCREF(object);
  PyObject* before = place;
  place = object;
  Py_XDECREF(before);
}

// Python's error is set where it fails.
bool CurrentStream(uint64_t* stream) {
  PyObject* device = PyObject_CallObject(g_boundaries.device, nullptr);
  if (device == nullptr) return false;
  PyObject* handle = PyObject_CallFunctionObjArgs(g_boundaries.stream, device, nullptr);
  Py_DECREF(device);
  if (handle == nullptr) return false;
  *stream = PyLong_AsUnsignedLongLongMask(handle);
  Py_DECREF(handle);
  return PyErr_Occurred() == nullptr;
}

bool ReportFailure(PyObject* why) {
  PyObject* answer =
      why == nullptr ? nullptr : PyObject_CallFunctionObjArgs(g_boundaries.failed, why, nullptr);
  Py_XDECREF(answer);
  return answer != nullptr;
}

// What was raised, with its traceback: by that it shows whose it is.
PyObject* TakeError() {
  PyObject *type = nullptr, *error = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &error, &traceback);
  PyErr_NormalizeException(&type, &error, &traceback);
  if (error != nullptr && traceback != nullptr) PyException_SetTraceback(error, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return error;
}

}  // namespace

const char* BeginBoundaries(PyObject* stream, PyObject* device, PyObject* failed) {
  if (const char* reason = BeginDevicePhases()) return reason;
  Hold(g_boundaries.stream, stream);
  Hold(g_boundaries.device, device);
  Hold(g_boundaries.failed, failed);
  return nullptr;
}

bool BoundaryFromPython(Boundary boundary) {
  if (g_boundaries.failed == nullptr) return true;
  const char* reason = RecordBoundary(boundary, CurrentStream);
  if (reason == nullptr && PyErr_Occurred() == nullptr) return true;
  PyObject* why = reason == nullptr ? TakeError() : PyUnicode_FromString(reason);
  const bool good = ReportFailure(why);
  Py_XDECREF(why);
  return good;
}

}  // namespace steptrace::probe
