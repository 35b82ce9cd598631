// SPDX-License-Identifier: Apache-2.0
#include "probe/python_phase.h"

#include <structmember.h>
#include <time.h>

#include <cstddef>
#include <cstdint>

#include "probe/python_boundary.h"
#include "probe/python_range.h"
#include "probe/stacks.h"
#include "transport/writer/writer.h"

// What a hook puts around a phase that every step has. The usual way takes no frame of Python's and
// calls no function of the script's; whatever is not usual is left to the hook's own function.
//
//   enter(subject) ── usual ──► the range is begun ──► what ends it
//          └───── anything else ──► ask(subject) ──► what that returns
//
// Where a phase has boundaries for events on the device, its range lies behind the first of them
// and ends behind the second.
namespace steptrace::probe {
namespace {

namespace t = transport;

constexpr long long kNeverDue = INT64_MAX;
constexpr unsigned long long kEndless = ~0ull;
constexpr int kNoBoundary = -1;
// Two readings of a thread's CPU time cost up to 5 us with cold caches: at most 0.25 % of this.
constexpr uint64_t kLongNs = 2'000'000;

// Read and written with the interpreter's lock.
struct Phase {
  PyObject ob_base;  // what PyObject_HEAD says
  unsigned int id;
  char measures;              // its thread's CPU time is read too
  char was_long;              // the last time, so that it is worth as much the next time
  char is_timed;              // it is the outer phase of another
  PyObject* ask;              // the hook's function
  PyObject* end;              // what ends a range,
  PyObject* end_cpu;          // and one that measures
  PyObject* end_at_boundary;  // the same, behind the phase's second boundary
  PyObject* end_cpu_at_boundary;
  PyObject* known;  // id of a subject -> an int, its number; what is no int is unusual
  PyObject* outer;  // the phase within which this one is
  PyObject* question;
  unsigned long long only;  // the only number that is usual; 0: each is
  unsigned long long taken;
  unsigned long long left;  // how often it may yet be usual
  long long due_ns;         // from then on nothing is usual
  int boundary;             // its first one, kNoBoundary: none; the second is the next
  uint64_t began_ns;
};

Phase* AsPhase(PyObject* object) {
  return reinterpret_cast<Phase*>(object);
}

// Behind the second boundary; what raised there is told when the range has ended.
PyObject* EndAtBoundary(const Phase* phase, PyObject* end) {
  PyObject *type = nullptr, *error = nullptr, *traceback = nullptr;
  // It may have lost its boundaries since it began.
  if (phase->boundary != kNoBoundary &&
      !BoundaryFromPython(static_cast<Boundary>(phase->boundary + 1))) {
    PyErr_Fetch(&type, &error, &traceback);
  }
  PyObject* ended = end == nullptr ? None() : PyObject_CallObject(end, nullptr);
  if (type == nullptr) return ended;
  Py_XDECREF(ended);
  PyErr_Restore(type, error, traceback);
  return nullptr;
}

PyObject* EndPlain(PyObject* self, PyObject* const*, Py_ssize_t) {
  return EndAtBoundary(AsPhase(self), AsPhase(self)->end);
}

PyObject* EndMeasured(PyObject* self, PyObject* const*, Py_ssize_t) {
  return EndAtBoundary(AsPhase(self), AsPhase(self)->end_cpu);
}

PyMethodDef g_end_plain = {"end_at_border", AsMethod(EndPlain), kFastCall, nullptr};
PyMethodDef g_end_measured = {"end_cpu_at_border", AsMethod(EndMeasured), kFastCall, nullptr};

// A new reference to what a tuple has there; null: nothing, or None.
PyObject* ArgumentAt(PyObject* arguments, Py_ssize_t index) {
  PyObject* object = index < PyTuple_Size(arguments) ? PyTuple_GetItem(arguments, index) : nullptr;
  if (object == Py_None) return nullptr;
  Py_XINCREF(object);
  return object;
}

// Phase(id, ask, end, end_cpu, known=None, outer=None)
PyObject* NewPhase(PyTypeObject* type, PyObject* arguments, PyObject*) {
  const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  auto* phase = reinterpret_cast<Phase*>(allocate(type, 0));
  if (phase == nullptr) return nullptr;
  PyObject* id = ArgumentAt(arguments, 0);
  if (id != nullptr) phase->id = NameIdOf(id);
  Py_XDECREF(id);
  phase->ask = ArgumentAt(arguments, 1);
  phase->end = ArgumentAt(arguments, 2);
  phase->end_cpu = ArgumentAt(arguments, 3);
  phase->known = ArgumentAt(arguments, 4);
  PyObject* outer = ArgumentAt(arguments, 5);
  if (outer != nullptr && Py_TYPE(outer) == type) {
    phase->outer = outer;
    AsPhase(outer)->is_timed = 1;
  } else {
    Py_XDECREF(outer);
  }
  phase->left = kEndless;
  phase->due_ns = kNeverDue;
  phase->boundary = kNoBoundary;
  return reinterpret_cast<PyObject*>(phase);
}

void FreePhase(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  const Phase* phase = AsPhase(self);
  for (PyObject* held : {phase->ask, phase->end, phase->end_cpu, phase->end_at_boundary,
                         phase->end_cpu_at_boundary, phase->known, phase->outer, phase->question}) {
    Py_XDECREF(held);
  }
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

uint64_t MonotonicNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// What ends the range of a phase with boundaries. Both are made once and hold the phase, as it
// holds them: a phase is the process's.
PyObject* EndOf(Phase* phase, bool measures) {
  if (phase->boundary == kNoBoundary) return measures ? phase->end_cpu : phase->end;
  PyObject*& end = measures ? phase->end_cpu_at_boundary : phase->end_at_boundary;
  if (end == nullptr) {
    end = PyCFunction_NewEx(measures ? &g_end_measured : &g_end_plain, &phase->ob_base, nullptr);
  }
  if (end != nullptr) return end;
  PyErr_Clear();
  return measures ? phase->end_cpu : phase->end;
}

PyObject* BeginPhase(Phase* phase, uint64_t number) {
  if (phase->boundary != kNoBoundary &&
      !BoundaryFromPython(static_cast<Boundary>(phase->boundary))) {
    return nullptr;
  }
  if (phase->outer != nullptr) {
    Phase* outer = AsPhase(phase->outer);
    outer->was_long = MonotonicNs() - outer->began_ns > kLongNs ? 1 : 0;
  }
  if (phase->is_timed != 0) phase->began_ns = MonotonicNs();
  const bool measures = phase->measures != 0 || phase->was_long != 0;
  if (measures) {
    t::BeginCpu(phase->id, number, 0);
  } else {
    t::Begin(phase->id, number, 0);
  }
  PyObject* leave = EndOf(phase, measures);
  if (leave == nullptr) leave = Py_None;
  Py_INCREF(leave);
  return leave;
}

// What is known of the subject, if it is usual. Asks no method of the script's: the keys are ints.
bool FindNumber(const Phase* phase, PyObject* subject, uint64_t* number) {
  *number = 0;
  if (phase->known == nullptr) return true;
  PyObject* key = PyLong_FromVoidPtr(subject);
  PyObject* found = key == nullptr ? nullptr : PyDict_GetItemWithError(phase->known, key);
  const bool good = found != nullptr && PyLong_Check(found);
  if (good) {
    *number = PyLong_AsUnsignedLongLongMask(found);
  } else {
    PyErr_Clear();
  }
  Py_XDECREF(key);
  return good && (phase->only == 0 || phase->only == *number);
}

bool IsDue(const Phase* phase) {
  return phase->due_ns != kNeverDue && MonotonicNs() >= static_cast<uint64_t>(phase->due_ns);
}

// Any other answer than False, or none, is unusual.
bool AnswersNo(PyObject* question) {
  if (question == nullptr || question == Py_None) return true;
  PyObject* answer = PyObject_CallObject(question, nullptr);
  const bool no = answer == Py_False;
  if (answer == nullptr) PyErr_Clear();
  Py_XDECREF(answer);
  return no;
}

PyObject* EnterPhase(PyObject* self, PyObject* const* items, Py_ssize_t count) {
  Phase* phase = AsPhase(self);
  PyObject* subject = count > 0 ? items[0] : nullptr;
  uint64_t number = 0;
  if (phase->left > 0 && !StacksDue() && FindNumber(phase, subject, &number) && !IsDue(phase) &&
      AnswersNo(phase->question)) {
    PyObject* end = BeginPhase(phase, number);
    if (end != nullptr) phase->taken += 1;
    if (end != nullptr && phase->left != kEndless) phase->left -= 1;
    return end;
  }
  if (phase->ask == nullptr) return None();
  return PyObject_CallFunctionObjArgs(phase->ask, subject, nullptr);
}

PyObject* BeginWithoutNumber(PyObject* self, PyObject* const*, Py_ssize_t) {
  return BeginPhase(AsPhase(self), 0);
}

PyMethodDef g_phase_methods[] = {
    {"enter", AsMethod(EnterPhase), kFastCall, nullptr},
    {"begin", AsMethod(BeginWithoutNumber), kFastCall, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef g_phase_members[] = {
    {"id", T_UINT, offsetof(Phase, id), READONLY, nullptr},
    {"border", T_INT, offsetof(Phase, boundary), 0, nullptr},
    {"measures", T_BOOL, offsetof(Phase, measures), 0, nullptr},
    {"question", T_OBJECT, offsetof(Phase, question), 0, nullptr},
    {"only", T_ULONGLONG, offsetof(Phase, only), 0, nullptr},
    {"taken", T_ULONGLONG, offsetof(Phase, taken), 0, nullptr},
    {"left", T_ULONGLONG, offsetof(Phase, left), 0, nullptr},
    {"due_ns", T_LONGLONG, offsetof(Phase, due_ns), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

}  // namespace

PyObject* NewPhaseType() {
  PyType_Slot slots[] = {
      {Py_tp_new, SlotOf(NewPhase)},
      {Py_tp_dealloc, SlotOf(FreePhase)},
      {Py_tp_methods, g_phase_methods},
      {Py_tp_members, g_phase_members},
      {0, nullptr},
  };
  PyType_Spec spec = {
      "steptrace._probe.Phase", static_cast<int>(sizeof(Phase)), 0, Py_TPFLAGS_DEFAULT, slots,
  };
  return PyType_FromSpec(&spec);
}

}  // namespace steptrace::probe
