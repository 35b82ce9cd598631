// SPDX-License-Identifier: Apache-2.0
#include "probe/python_range.h"

#include <structmember.h>

#include <cstddef>

#include "transport/writer/writer.h"

// A name that can be begun from Python without a frame of Python's: entered by `with`, or called by
// what the hooks put around a function. Like all of the module it raises nothing once it is made.
namespace steptrace::probe {
namespace {

namespace t = transport;

struct Range {
  PyObject ob_base;  // what PyObject_HEAD says
  unsigned int id;
  PyObject* leave;  // what enter() returns; may be null
};

// Range(id, leave=None)
PyObject* New(PyTypeObject* type, PyObject* arguments, PyObject*) {
  const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  auto* range = reinterpret_cast<Range*>(allocate(type, 0));
  if (range == nullptr) return nullptr;
  const Py_ssize_t count = PyTuple_Size(arguments);
  if (count > 0) range->id = NameIdOf(PyTuple_GetItem(arguments, 0));
  if (count > 1) {
    range->leave = PyTuple_GetItem(arguments, 1);
    Py_INCREF(range->leave);
  }
  return reinterpret_cast<PyObject*>(range);
}

void Free(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_XDECREF(reinterpret_cast<Range*>(self)->leave);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

PyObject* EnterWith(PyObject* self, PyObject*) {
  t::Begin(reinterpret_cast<Range*>(self)->id);
  return None();
}

PyObject* Enter(PyObject* self, PyObject* const*, Py_ssize_t) {
  const Range* range = reinterpret_cast<Range*>(self);
  t::Begin(range->id);
  PyObject* leave = range->leave != nullptr ? range->leave : Py_None;
  Py_INCREF(leave);
  return leave;
}

PyMethodDef g_methods[] = {
    {"__enter__", EnterWith, METH_NOARGS, nullptr},
    {"enter", AsMethod(Enter), kFastCall, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef g_members[] = {
    {"id", T_UINT, offsetof(Range, id), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

}  // namespace

PyObject* NewRangeType() {
  PyType_Slot slots[] = {
      {Py_tp_new, SlotOf(New)},
      {Py_tp_dealloc, SlotOf(Free)},
      {Py_tp_methods, g_methods},
      {Py_tp_members, g_members},
      {0, nullptr},
  };
  PyType_Spec spec = {
      "steptrace._probe.Range",
      static_cast<int>(sizeof(Range)),
      0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
      slots,
  };
  return PyType_FromSpec(&spec);
}

}  // namespace steptrace::probe
