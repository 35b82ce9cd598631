// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/python_api.h"

// What takes the hooks out of a tool's sight where no Python may run and no other thread may go on:
// in the event by which the tool begins (python_tools.h). All is called with the interpreter's
// lock, and none of it but ChangeCode() runs Python or releases the lock, provided that no audit
// hook is Python's and CollectionsPaused stands around it. Errors are none of the script's.
namespace steptrace::probe {

// Once, before all else. False with Python's error.
bool PrepareExchange();

// A function that has calls around its body (surround.py): `function` gets the code `changed`, or
// keeps or gets `own` if that is to `stay`. It is one of PublishOwnCodes() as long as it lives.
// False with Python's error: its code cannot be set.
bool ChangeCode(PyObject* own, PyObject* changed, PyObject* function, bool stay);

// Each function that has its changed code gets its own. Calls under way end as they are.
void PublishOwnCodes();

// Out of sys.meta_path; not while a thread goes through it, which would skip another finder.
// `frames`: sys._current_frames.
void TakeOutFinder(PyObject* finder, PyObject* frames);

// Before Python 3.12 whatever makes an object may begin a collection, and so run finalizers of the
// script's. Python 3.9 cannot be kept from it here.
class CollectionsPaused {
 public:
  static bool IsPossible() { return PyGC_Disable != nullptr; }
  CollectionsPaused() : were_on_(PyGC_Disable != nullptr && PyGC_Disable() != 0) {}
  ~CollectionsPaused() {
    if (were_on_) PyGC_Enable();
  }
  CollectionsPaused(const CollectionsPaused&) = delete;
  CollectionsPaused& operator=(const CollectionsPaused&) = delete;

 private:
  bool were_on_;
};

}  // namespace steptrace::probe
