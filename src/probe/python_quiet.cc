// SPDX-License-Identifier: Apache-2.0
#include "probe/python_quiet.h"

#include "probe/python_tools.h"
#include "transport/writer/writer.h"

namespace steptrace::probe {
namespace {

struct Quiet {
  PyObject ob_base;  // what PyObject_HEAD says
  PyObject* function;
  char ends_range;
  char missed;
};

Quiet* AsQuiet(PyObject* object) {
  return reinterpret_cast<Quiet*>(object);
}

// Quiet(function, ends_range=False)
PyObject* NewQuiet(PyTypeObject* type, PyObject* arguments, PyObject*) {
  const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  auto* quiet = reinterpret_cast<Quiet*>(allocate(type, 0));
  if (quiet == nullptr) return nullptr;
  const Py_ssize_t count = PyTuple_Size(arguments);
  quiet->function = count > 0 ? PyTuple_GetItem(arguments, 0) : Py_None;
  Py_INCREF(quiet->function);
  quiet->ends_range = count > 1 && PyTuple_GetItem(arguments, 1) == Py_True ? 1 : 0;
  return reinterpret_cast<PyObject*>(quiet);
}

// The function may lead back to what holds this.
int TraverseQuiet(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(AsQuiet(self)->function);
  Py_VISIT(reinterpret_cast<PyObject*>(Py_TYPE(self)));  // of a class on the heap, since 3.9
  return 0;
}

int ClearQuiet(PyObject* self) {
  Py_CLEAR(AsQuiet(self)->function);
  return 0;
}

void FreeQuiet(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_XDECREF(AsQuiet(self)->function);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

PyObject* CallQuiet(PyObject* self, PyObject* arguments, PyObject*) {
  Quiet* quiet = AsQuiet(self);
  if (quiet->function == nullptr) return None();  // it was collected
  if (!ToolsAside()) return PyObject_CallObject(quiet->function, arguments);
  quiet->missed = 1;
  if (quiet->ends_range != 0) transport::End();
  return None();
}

PyObject* CallMissed(PyObject* self, PyObject*) {
  Quiet* quiet = AsQuiet(self);
  if (quiet->missed == 0 || quiet->function == nullptr) return None();
  quiet->missed = 0;
  return PyObject_CallObject(quiet->function, nullptr);
}

PyMethodDef g_quiet_methods[] = {
    {"make_up", CallMissed, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyObject* NewQuietType() {
  PyType_Slot slots[] = {
      {Py_tp_new, SlotOf(NewQuiet)},
      {Py_tp_dealloc, SlotOf(FreeQuiet)},
      {Py_tp_traverse, SlotOf(TraverseQuiet)},
      {Py_tp_clear, SlotOf(ClearQuiet)},
      {Py_tp_call, SlotOf(CallQuiet)},
      {Py_tp_methods, g_quiet_methods},
      {0, nullptr},
  };
  PyType_Spec spec = {
      "steptrace._probe.Quiet",
      static_cast<int>(sizeof(Quiet)),
      0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
      slots,
  };
  return PyType_FromSpec(&spec);
}

}  // namespace steptrace::probe
