// SPDX-License-Identifier: Apache-2.0
#include "probe/python_tensors.h"

#include "probe/python_range.h"
#include "probe/tensor_records.h"
#include "probe/tensor_stats.h"
#include "transport/writer/writer.h"

namespace steptrace::probe {
namespace {

// What takes longer than some tens of microseconds.
constexpr int64_t kLongElements = 1 << 16;

struct Shape {
  int dims = -1;
  int64_t sizes[kMostDims];
  int64_t strides[kMostDims];
};

uint64_t Word(PyObject* object) {
  const unsigned long long word = PyLong_AsUnsignedLongLongMask(object);
  if (word == static_cast<unsigned long long>(-1) && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return 0;
  }
  return word;
}

// Tuples of as many ints. False: they are none.
bool TakeShape(PyObject* sizes, PyObject* strides, Shape* out) {
  const Py_ssize_t dims = PyTuple_Size(sizes);
  if (dims < 0 || dims > kMostDims || dims != PyTuple_Size(strides)) {
    PyErr_Clear();
    return false;
  }
  out->dims = static_cast<int>(dims);
  for (Py_ssize_t i = 0; i < dims; ++i) {
    out->sizes[i] = static_cast<int64_t>(Word(PyTuple_GetItem(sizes, i)));
    out->strides[i] = static_cast<int64_t>(Word(PyTuple_GetItem(strides, i)));
  }
  return true;
}

bool MeasureWithoutLock(const TensorView& view, int64_t elements, TensorStats* stats) {
  if (elements < kLongElements) return Measure(view, stats);
  PyThreadState* thread = PyEval_SaveThread();
  const bool measured = Measure(view, stats);
  PyEval_RestoreThread(thread);
  return measured;
}

// What cannot be measured, whatever room there is.
PyObject* Unreadable() {
  return PyLong_FromLong(-1);
}

}  // namespace

PyObject* TensorOf(PyObject*, PyObject* const* items, Py_ssize_t count) {
  Shape shape;
  if (count != 7 || !HasRoomForTensor()) return None();
  if (!TakeShape(items[5], items[6], &shape)) return Unreadable();
  const TensorSubject subject{NameIdOf(items[0]), static_cast<wire::TensorRole>(Word(items[1])),
                              static_cast<wire::ElementType>(Word(items[2]))};
  const TensorView view{reinterpret_cast<const void*>(Word(items[4])), subject.type, shape.dims,
                        shape.sizes, shape.strides};
  const int64_t elements = Elements(view);
  if (elements < 0 || (elements > 0 && view.data == nullptr) || subject.name == 0) {
    return Unreadable();
  }
  TensorStats stats;
  if (!MeasureWithoutLock(view, elements, &stats)) return Unreadable();
  const bool reported = items[3] == Py_None ? HoldTensor(subject, stats)
                                            : WriteTensor(subject, Word(items[3]), stats);
  if (!reported) return None();
  return PyLong_FromUnsignedLongLong(stats.nan + stats.positive_inf + stats.negative_inf);
}

PyObject* TensorsStep(PyObject*, PyObject* step) {
  WriteHeldTensors(Word(step));
  return None();
}

}  // namespace steptrace::probe
