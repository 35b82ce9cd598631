// SPDX-License-Identifier: Apache-2.0
#include "probe/python_exchange.h"

#include "probe/python_held.h"

namespace steptrace::probe {
namespace {

// A list of (weak reference to a function, its own code, the changed one).
constinit PyObject* g_functions = nullptr;

// Made once.
struct Names {
  PyObject *code, *f_back, *f_code, *co_name, *co_filename;
};
constinit Names g_names{};

// Borrowed; `which`: 1: its own, 2: the changed one.
PyObject* CodeAt(Py_ssize_t place, Py_ssize_t which) {
  return PyTuple_GetItem(PyList_GetItem(g_functions, place), which);
}

// A new reference; null: it is gone.
PyObject* FunctionAt(Py_ssize_t place) {
  PyObject* function = PyObject_CallObject(CodeAt(place, 0), nullptr);
  if (function != Py_None) return function;
  Py_DECREF(function);
  return nullptr;
}

// False: there was no memory for it.
bool Remember(PyObject* own, PyObject* changed, PyObject* function) {
  Py_ssize_t free = -1;
  for (Py_ssize_t i = 0; i < PyList_Size(g_functions); ++i) {
    const Held known(FunctionAt(i));
    if (!known) free = i;
    if (known.get() == function && CodeAt(i, 2) == changed) return true;
  }
  const Held reference(PyWeakref_NewRef(function, nullptr));
  if (!reference) return false;
  PyObject* entry = PyTuple_Pack(3, reference.get(), own, changed);
  if (entry == nullptr) return false;
  if (free >= 0) return PyList_SetItem(g_functions, free, entry) == 0;  // takes the reference
  const bool added = PyList_Append(g_functions, entry) == 0;
  Py_DECREF(entry);
  return added;
}

bool IsText(PyObject* object, PyObject* name, const char* text) {
  const Held value(PyObject_GetAttr(object, name));
  return value && PyUnicode_CompareWithASCIIString(value.get(), text) == 0;
}

// Whether the import system's search for a module is among a thread's calls.
bool Searches(PyObject* innermost) {
  Py_INCREF(innermost);
  PyObject* frame = innermost;
  while (frame != nullptr && frame != Py_None) {
    const Held here(frame);
    const Held code(PyObject_GetAttr(frame, g_names.f_code));
    if (!code) return true;
    if (IsText(code.get(), g_names.co_name, "_find_spec") &&
        IsText(code.get(), g_names.co_filename, "<frozen importlib._bootstrap>")) {
      return true;
    }
    frame = PyObject_GetAttr(frame, g_names.f_back);
  }
  if (frame == nullptr) return PyErr_Clear(), true;
  Py_DECREF(frame);
  return false;
}

bool SomebodySearches(PyObject* current_frames) {
  const Held frames(PyObject_CallObject(current_frames, nullptr));
  if (!frames) return true;
  Py_ssize_t place = 0;
  PyObject *thread = nullptr, *frame = nullptr;
  while (PyDict_Next(frames.get(), &place, &thread, &frame) != 0) {
    if (Searches(frame)) return true;
  }
  return false;
}

}  // namespace

bool PrepareExchange() {
  g_functions = PyList_New(0);
  g_names = {PyUnicode_InternFromString("__code__"), PyUnicode_InternFromString("f_back"),
             PyUnicode_InternFromString("f_code"), PyUnicode_InternFromString("co_name"),
             PyUnicode_InternFromString("co_filename")};
  return g_functions != nullptr && g_names.code != nullptr && g_names.f_back != nullptr &&
         g_names.f_code != nullptr && g_names.co_name != nullptr && g_names.co_filename != nullptr;
}

bool ChangeCode(PyObject* own, PyObject* changed, PyObject* function, bool stay) {
  if (!Remember(own, changed, function)) stay = true;
  const Held now(PyObject_GetAttr(function, g_names.code));
  PyObject* wanted = stay ? own : changed;
  return now.get() == wanted || PyObject_SetAttr(function, g_names.code, wanted) == 0;
}

void PublishOwnCodes() {
  for (Py_ssize_t i = 0; i < PyList_Size(g_functions); ++i) {
    const Held function(FunctionAt(i));
    if (!function) continue;
    const Held now(PyObject_GetAttr(function.get(), g_names.code));
    if (now.get() != CodeAt(i, 2)) continue;
    if (PyObject_SetAttr(function.get(), g_names.code, CodeAt(i, 1)) != 0) PyErr_Clear();
  }
}

void TakeOutFinder(PyObject* finder, PyObject* frames) {
  PyObject* finders = PySys_GetObject("meta_path");  // borrowed
  if (finders == nullptr || Py_TYPE(finders) != &PyList_Type) return;
  for (Py_ssize_t i = 0; i < PyList_Size(finders); ++i) {
    if (PyList_GetItem(finders, i) != finder) continue;
    if (SomebodySearches(frames) || PySequence_DelItem(finders, i) != 0) PyErr_Clear();
    return;
  }
}

}  // namespace steptrace::probe
