// SPDX-License-Identifier: Apache-2.0
#pragma once

#define Py_LIMITED_API 0x03080000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

// In every Python since 3.8, in the stable ABI's headers since 3.13 alone.
extern "C" int PySys_AddAuditHook(int (*hook)(const char* event, PyObject* arguments, void* data),
                                  void* data);

// In the stable ABI since 3.9.
extern "C" PyInterpreterState* PyInterpreterState_Get();
// In the stable ABI's headers since 3.13 alone.
extern "C" int PySys_Audit(const char* event, const char* format, ...);
// From 3.10 on.
extern "C" int PyGC_Disable();
extern "C" int PyGC_Enable();
// From 3.11 on; not in the stable ABI.
extern "C" void PyThreadState_EnterTracing(PyThreadState* thread);
extern "C" void PyThreadState_LeaveTracing(PyThreadState* thread);

// Every symbol of Python that the module uses, as a weak reference: in a program without Python the
// loader leaves them null, and nobody calls PyInit__probe there. A test compares this list with the
// file's undefined symbols.
#pragma weak PyBool_FromLong
#pragma weak PyBytes_AsString
#pragma weak PyBytes_Size
#pragma weak PyCFunction_NewEx
#pragma weak PyDict_GetItemString
#pragma weak PyDict_GetItemWithError
#pragma weak PyDict_New
#pragma weak PyDict_Next
#pragma weak PyDict_SetItemString
#pragma weak PyDict_Size
#pragma weak PyErr_Clear
#pragma weak PyErr_ExceptionMatches
#pragma weak PyErr_Fetch
#pragma weak PyErr_NormalizeException
#pragma weak PyErr_Occurred
#pragma weak PyErr_Restore
#pragma weak PyEval_RestoreThread
#pragma weak PyEval_SaveThread
#pragma weak PyExc_RecursionError
#pragma weak PyException_SetTraceback
#pragma weak PyFloat_AsDouble
#pragma weak PyGC_Disable
#pragma weak PyGC_Enable
#pragma weak PyGILState_GetThisThreadState
#pragma weak PyInterpreterState_Get
#pragma weak PyList_Append
#pragma weak PyList_GetItem
#pragma weak PyList_New
#pragma weak PyList_SetItem
#pragma weak PyList_Size
#pragma weak PyList_Type
#pragma weak PyLong_AsLong
#pragma weak PyLong_AsUnsignedLongLongMask
#pragma weak PyLong_AsUnsignedLongMask
#pragma weak PyLong_FromLong
#pragma weak PyLong_FromUnsignedLongLong
#pragma weak PyLong_FromVoidPtr
#pragma weak PyModuleDef_Init
#pragma weak PyModule_AddObject
#pragma weak PyObject_CallFunctionObjArgs
#pragma weak PyObject_CallObject
#pragma weak PyObject_GC_UnTrack
#pragma weak PyObject_GetAttr
#pragma weak PyObject_GetItem
#pragma weak PyObject_IsTrue
#pragma weak PyObject_SetAttr
#pragma weak PySequence_DelItem
#pragma weak PySys_AddAuditHook
#pragma weak PySys_Audit
#pragma weak PySys_GetObject
#pragma weak PyThreadState_EnterTracing
#pragma weak PyThreadState_Get
#pragma weak PyThreadState_LeaveTracing
#pragma weak PyThread_get_thread_ident
#pragma weak PyTuple_GetItem
#pragma weak PyTuple_Pack
#pragma weak PyTuple_Size
#pragma weak PyType_FromSpec
#pragma weak PyType_GetFlags
#pragma weak PyType_GetSlot
#pragma weak PyUnicode_AsEncodedString
#pragma weak PyUnicode_CompareWithASCIIString
#pragma weak PyUnicode_FromFormat
#pragma weak PyUnicode_FromString
#pragma weak PyUnicode_InternFromString
#pragma weak PyWeakref_NewRef
#pragma weak Py_AddPendingCall
#pragma weak Py_IsInitialized
#pragma weak _Py_Dealloc
#pragma weak _Py_FalseStruct
#pragma weak _Py_NoneStruct
#pragma weak _Py_TrueStruct

namespace steptrace::probe {

using FastCall = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);

// CPython has called such functions so since 3.7; only the name of the flag is missing from the
// limited API before 3.10. The interpreter specialises calls of these, and of METH_O, but not of
// METH_NOARGS: what takes no argument is quicker this way.
constexpr int kFastCall = 0x0080;

inline PyCFunction AsMethod(FastCall function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

template <class Function>
void* SlotOf(Function function) {
  return reinterpret_cast<void*>(function);
}

inline PyObject* None() {
  Py_INCREF(Py_None);
  return Py_None;
}

}  // namespace steptrace::probe
