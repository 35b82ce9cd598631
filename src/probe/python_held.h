// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/python_api.h"

namespace steptrace::probe {

// A reference of ours, released at the end. Null where making it failed: Python's error is cleared.
class Held {
 public:
  explicit Held(PyObject* object) : object_(object) {
    if (object_ == nullptr) PyErr_Clear();
  }
  ~Held() { Py_XDECREF(object_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  PyObject* get() const { return object_; }
  PyObject* Release() {
    PyObject* object = object_;
    object_ = nullptr;
    return object;
  }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_;
};

}  // namespace steptrace::probe
