// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <string_view>

#include "probe/cupti_detach.h"
#include "probe/device_phases.h"
#include "probe/itt.h"
#include "probe/kernels.h"
#include "probe/nccl_mask.h"
#include "probe/python_api.h"
#include "probe/python_boundary.h"
#include "probe/python_phase.h"
#include "probe/python_quiet.h"
#include "probe/python_range.h"
#include "probe/python_tensors.h"
#include "probe/python_tools.h"
#include "probe/stacks.h"
#include "transport/writer/writer.h"
#include "wire/vocabulary.h"

// The module of python/steptrace/_probe.pyi. Nothing raises: a wrong argument records nothing, for
// an exception of ours in a hook would be the training's end. What the script's own handler of a
// signal raises within a boundary of ours is the script's, and is let through.
namespace steptrace::probe {
namespace {

namespace t = transport;

// The arguments of a call, as METH_FASTCALL hands them over.
class Arguments {
 public:
  Arguments(PyObject* const* items, Py_ssize_t count) : items_(items), count_(count) {}

  // Null: there is none of that index.
  PyObject* At(Py_ssize_t index) const { return index < count_ ? items_[index] : nullptr; }

  // As 64 bits, negative numbers as two's complement; 0 for what is no number.
  uint64_t WordAt(Py_ssize_t index) const;

 private:
  PyObject* const* items_;
  Py_ssize_t count_;
};

uint64_t Arguments::WordAt(Py_ssize_t index) const {
  PyObject* object = At(index);
  if (object == nullptr) return 0;
  const unsigned long long word = PyLong_AsUnsignedLongLongMask(object);
  if (word == static_cast<unsigned long long>(-1) && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return 0;
  }
  return word;
}

// The bytes of a str for the time of a scope. What UTF-8 cannot say is written as \uXXXX.
class Text {
 public:
  explicit Text(PyObject* object) {
    if (object != nullptr) bytes_ = PyUnicode_AsEncodedString(object, "utf-8", "backslashreplace");
    if (bytes_ == nullptr) PyErr_Clear();
  }
  ~Text() { Py_XDECREF(bytes_); }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  bool good() const { return bytes_ != nullptr; }
  const char* data() const { return bytes_ == nullptr ? "" : PyBytes_AsString(bytes_); }
  size_t size() const { return bytes_ == nullptr ? 0 : static_cast<size_t>(PyBytes_Size(bytes_)); }

 private:
  PyObject* bytes_ = nullptr;
};

bool IsTrue(PyObject* object) {
  const int truth = PyObject_IsTrue(object);
  if (truth < 0) PyErr_Clear();
  return truth > 0;
}

PyObject* Attach(PyObject*, PyObject*) {
  return PyBool_FromLong(t::Attach() ? 1 : 0);
}
PyObject* Attached(PyObject*, PyObject*) {
  return PyBool_FromLong(t::Attached() ? 1 : 0);
}

PyObject* Disarm(PyObject*, PyObject* reason) {
  t::Disarm(Text(reason).data());
  return None();
}

PyObject* Name(PyObject*, PyObject* const* items, Py_ssize_t count) {
  const Arguments arguments(items, count);
  const Text text(arguments.At(0));
  // What is no text has no category either: that is refused, and counted.
  const auto category = text.good() ? static_cast<uint16_t>(arguments.WordAt(1)) : uint16_t{0};
  return PyLong_FromUnsignedLongLong(t::Name(text.data(), text.size(), category));
}

PyObject* Begin(PyObject*, PyObject* name) {
  t::Begin(NameIdOf(name));
  return None();
}

PyObject* BeginArgs(PyObject*, PyObject* const* items, Py_ssize_t count) {
  const Arguments arguments(items, count);
  t::Begin(static_cast<uint32_t>(arguments.WordAt(0)), arguments.WordAt(1), arguments.WordAt(2));
  return None();
}

PyObject* End(PyObject*, PyObject* const*, Py_ssize_t) {
  t::End();
  return None();
}

PyObject* EndArgs(PyObject*, PyObject* const* items, Py_ssize_t count) {
  const Arguments arguments(items, count);
  t::End(arguments.WordAt(0), arguments.WordAt(1));
  return None();
}

PyObject* BeginCpu(PyObject*, PyObject* name) {
  t::BeginCpu(NameIdOf(name));
  return None();
}

PyObject* BeginCpuArgs(PyObject*, PyObject* const* items, Py_ssize_t count) {
  const Arguments arguments(items, count);
  t::BeginCpu(static_cast<uint32_t>(arguments.WordAt(0)), arguments.WordAt(1), arguments.WordAt(2));
  return None();
}

PyObject* EndCpu(PyObject*, PyObject*) {
  t::EndCpu();
  return None();
}

PyObject* Instant(PyObject*, PyObject* const* items, Py_ssize_t count) {
  const Arguments arguments(items, count);
  t::Instant(static_cast<uint32_t>(arguments.WordAt(0)), arguments.WordAt(1), arguments.WordAt(2));
  return None();
}

PyObject* Counter(PyObject*, PyObject* const* items, Py_ssize_t count) {
  const Arguments arguments(items, count);
  PyObject* value = arguments.At(1);
  if (value == nullptr) return None();
  const double number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return None();
  }
  t::Counter(static_cast<uint32_t>(arguments.WordAt(0)), number);
  return None();
}

PyObject* Fact(PyObject*, PyObject* const* items, Py_ssize_t count) {
  const Arguments arguments(items, count);
  const Text kind(arguments.At(0));
  const Text json(arguments.At(1));
  t::Fact(kind.data(), kind.size(), json.data(), json.size());
  return None();
}

// A callback of gc.callbacks, native for a reason: a signal that comes during a collection is
// handled where Python code runs next. In a callback of Python's that is the callback, and what the
// script's handler raises there (KeyboardInterrupt) would be printed and lost.
PyObject* Collection(PyObject*, PyObject* const* items, Py_ssize_t count) {
  constexpr uint64_t kFull = 2;      // the young generations are too cheap to tell
  static bool g_collecting = false;  // collections do not nest, and end in their thread
  const Arguments arguments(items, count);
  CheckForTools();
  PyObject* info = arguments.At(1);
  PyObject* generation = info == nullptr ? nullptr : PyDict_GetItemString(info, "generation");
  if (Arguments(&generation, generation != nullptr).WordAt(0) != kFull) return None();
  const Text phase(arguments.At(0));
  if (std::string_view(phase.data(), phase.size()) == "start") {
    constexpr std::string_view kName = wire::kNameGc;
    constexpr auto kCategory = static_cast<uint16_t>(wire::Category::kPhase);
    t::Begin(t::Name(kName.data(), kName.size(), kCategory), kFull, 0);
    g_collecting = true;
  } else if (g_collecting) {
    t::End();
    g_collecting = false;
  }
  return None();
}

PyObject* Pause(PyObject*, PyObject* on) {
  t::Pause(IsTrue(on));
  return None();
}

void Put(PyObject* dict, const char* key, uint64_t value) {
  PyObject* number = PyLong_FromUnsignedLongLong(value);
  if (number == nullptr || PyDict_SetItemString(dict, key, number) != 0) PyErr_Clear();
  Py_XDECREF(number);
}

PyObject* Stats(PyObject*, PyObject*) {
  PyObject* dict = PyDict_New();
  if (dict == nullptr) return nullptr;
  const t::Stats stats = t::GetStats();
  Put(dict, "records", stats.records);
  Put(dict, "dropped_full", stats.dropped_full);
  Put(dict, "dropped_names", stats.dropped_names);
  Put(dict, "dropped_budget", stats.dropped_budget);
  Put(dict, "dropped_no_space", stats.dropped_no_space);
  Put(dict, "dropped_nested", stats.dropped_nested);
  Put(dict, "threads", stats.threads);
  Put(dict, "names", stats.names);
  Put(dict, "name_bytes", stats.name_bytes);
  Put(dict, "file_bytes", stats.file_bytes);
  return dict;
}

PyObject* CaptureChanged(PyObject*, PyObject* const*, Py_ssize_t) {
  return PyBool_FromLong(t::CaptureChanged() ? 1 : 0);
}

// Of each window that follows: first_step, steps, kinds. nullptr with an error set.
PyObject* NextCaptures(const wire::CaptureControl& control) {
  PyObject* list = PyList_New(0);
  for (uint32_t i = 0; i < control.next_count; ++i) {
    const wire::CaptureNext& next = control.next[i];
    for (const uint64_t value : {next.first_step, next.steps, uint64_t{next.kinds}}) {
      PyObject* number = PyLong_FromUnsignedLongLong(value);
      const bool added = list != nullptr && number != nullptr && PyList_Append(list, number) == 0;
      Py_XDECREF(number);
      if (!added) {
        Py_XDECREF(list);
        return nullptr;
      }
    }
  }
  return list;
}

PyObject* CaptureRequest(PyObject*, PyObject*) {
  wire::CaptureControl control;
  if (!t::TakeCapture(&control)) return None();
  PyObject* dict = PyDict_New();
  if (dict == nullptr) {
    PyErr_Clear();
    return None();
  }
  Put(dict, "request", control.request);
  Put(dict, "kinds", control.kinds);
  Put(dict, "first_step", control.first_step);
  Put(dict, "steps", control.steps);
  Put(dict, "until_ns", control.until_monotonic_ns);
  Put(dict, "dur_ns", control.dur_ns);
  Put(dict, "max_operators", control.max_operators);
  Put(dict, "enough_operators", control.enough_operators);
  Put(dict, "steps_of_enough", wire::kStepsOfEnough);
  PyObject* next = NextCaptures(control);
  if (next == nullptr || PyDict_SetItemString(dict, "next", next) != 0) PyErr_Clear();
  Py_XDECREF(next);
  return dict;
}

PyObject* Operators(PyObject*, PyObject* on) {
  RecordOperators(IsTrue(on));
  return None();
}

PyObject* OperatorsStep(PyObject*, PyObject* most) {
  return PyLong_FromUnsignedLongLong(BeginOperatorStep(Arguments(&most, 1).WordAt(0)));
}

PyObject* OperatorsFit(PyObject*, PyObject* operators) {
  return PyBool_FromLong(HasRoomForOperators(Arguments(&operators, 1).WordAt(0)));
}

PyObject* RecordsLost(PyObject*, PyObject*) {
  return PyLong_FromUnsignedLongLong(t::RecordsWithoutRoom());
}

PyObject* OperatorsRecorded(PyObject*, PyObject*) {
  return PyLong_FromUnsignedLongLong(OperatorCount());
}

void LeaveNow(int status, void*) {
  fflush(nullptr);
  _exit(status);
}

// What is registered last runs first: before the destructors of libraries, of which Kineto's waits
// for a thread that a forked child does not have.
PyObject* ExitPlainly(PyObject*, PyObject*) {
  on_exit(LeaveNow, nullptr);
  return None();
}

// What is no number of KnownUsers' is a user whom we do not know.
PyObject* KernelsBegin(PyObject*, PyObject* known) {
  unsigned long users = PyLong_AsUnsignedLongMask(known);
  if (PyErr_Occurred() != nullptr) PyErr_Clear();
  constexpr auto kLast = static_cast<unsigned long>(KnownUsers::kOtherModule);
  if (users > kLast) users = kLast;
  const char* reason = BeginKernels(static_cast<KnownUsers>(users));
  if (reason == nullptr) EnableNcclSteps(true);
  return reason == nullptr ? None() : PyUnicode_FromString(reason);
}

PyObject* KernelsWereTaken(PyObject*, PyObject*) {
  return PyBool_FromLong(KernelsTaken() ? 1 : 0);
}

PyObject* KernelsEnd(PyObject*, PyObject*) {
  EnableNcclSteps(false);
  EndKernels();
  return None();
}

PyObject* KernelsDrain(PyObject*, PyObject* last) {
  return PyBool_FromLong(DrainKernels(IsTrue(last)) ? 1 : 0);
}

PyObject* KernelsPast(PyObject*, PyObject*) {
  return PyBool_FromLong(DeviceIsPastWindow() ? 1 : 0);
}

// None: it will leave. Else why it stays.
PyObject* KernelsDetach(PyObject*, PyObject*) {
  const char* reason = DetachKernels();
  return reason == nullptr ? None() : PyUnicode_FromString(reason);
}

// Whether CUPTI is in the process still.
PyObject* KernelsStay(PyObject*, PyObject*) {
  (void)StayAttached();
  return PyBool_FromLong(CuptiHasLeft() ? 0 : 1);
}

PyObject* Asked(PyObject*, PyObject* const*, Py_ssize_t) {
  return PyBool_FromLong(t::CaptureChanged() || StacksDue() ? 1 : 0);
}

PyObject* StacksDueNow(PyObject*, PyObject* const*, Py_ssize_t) {
  return PyBool_FromLong(StacksDue() ? 1 : 0);
}

PyObject* StacksClaim(PyObject*, PyObject*) {
  return PyBool_FromLong(ClaimStacks() ? 1 : 0);
}

PyObject* StacksTake(PyObject*, PyObject* tools) {
  TakeStacks(tools);
  return None();
}

PyObject* StacksStop(PyObject*, PyObject* for_good) {
  StopStacks(IsTrue(for_good));
  return None();
}

// None, or why not.
PyObject* ReasonOrNone(const char* reason) {
  return reason == nullptr ? None() : PyUnicode_FromString(reason);
}

PyObject* DevicePhasesBegin(PyObject*, PyObject* const* items, Py_ssize_t count) {
  if (count != 3) return ReasonOrNone("device_phases_begin(stream, device, failed)");
  return ReasonOrNone(BeginBoundaries(items[0], items[1], items[2]));
}

PyObject* DeviceBoundary(PyObject*, PyObject* const* items, Py_ssize_t count) {
  const uint64_t boundary = Arguments(items, count).WordAt(0);
  if (boundary >= kBoundaries) return None();
  return BoundaryFromPython(static_cast<Boundary>(boundary)) ? None() : nullptr;
}

PyObject* DevicePhasesPause(PyObject*, PyObject* on) {
  PauseDevicePhases(IsTrue(on));
  return None();
}

PyObject* DevicePhasesEnd(PyObject*, PyObject*) {
  EndDevicePhases();
  return PyLong_FromUnsignedLongLong(GetDevicePhaseStats().no_event);
}

PyObject* ToolsExpect(PyObject*, PyObject* tool) {
  return ExpectTool(Text(tool).data()) ? None() : nullptr;
}

PyObject* ToolsHurry(PyObject*, PyObject* urgent) {
  RequestPause(IsTrue(urgent));
  return None();
}

PyObject* ToolsOwn(PyObject*, PyObject* own) {
  const uint64_t value = Arguments(&own, 1).WordAt(0);
  if (value <= static_cast<uint64_t>(Own::kChanging)) OwnTool(static_cast<Own>(value));
  return None();
}

PyObject* ToolsAsideNow(PyObject*, PyObject*) {
  return PyBool_FromLong(ToolsAside() ? 1 : 0);
}

constexpr const char* kNoDoc = nullptr;  // the documentation is _probe.pyi

PyMethodDef Fast(const char* name, FastCall function) {
  return {name, AsMethod(function), kFastCall, kNoDoc};
}

PyMethodDef g_methods[] = {
    {"attach", Attach, METH_NOARGS, kNoDoc},
    {"attached", Attached, METH_NOARGS, kNoDoc},
    {"disarm", Disarm, METH_O, kNoDoc},
    Fast("name", Name),
    {"begin", Begin, METH_O, kNoDoc},
    Fast("begin_args", BeginArgs),
    Fast("end", End),
    Fast("end_args", EndArgs),
    {"begin_cpu", BeginCpu, METH_O, kNoDoc},
    Fast("begin_cpu_args", BeginCpuArgs),
    {"end_cpu", EndCpu, METH_NOARGS, kNoDoc},
    Fast("instant", Instant),
    Fast("counter", Counter),
    Fast("fact", Fact),
    Fast("collection", Collection),
    {"pause", Pause, METH_O, kNoDoc},
    Fast("capture_changed", CaptureChanged),
    {"capture_request", CaptureRequest, METH_NOARGS, kNoDoc},
    {"operators", Operators, METH_O, kNoDoc},
    {"operators_step", OperatorsStep, METH_O, kNoDoc},
    {"operators_fit", OperatorsFit, METH_O, kNoDoc},
    {"operators_recorded", OperatorsRecorded, METH_NOARGS, kNoDoc},
    {"records_lost", RecordsLost, METH_NOARGS, kNoDoc},
    {"exit_plainly", ExitPlainly, METH_NOARGS, kNoDoc},
    {"kernels_begin", KernelsBegin, METH_O, kNoDoc},
    {"kernels_taken", KernelsWereTaken, METH_NOARGS, kNoDoc},
    {"kernels_end", KernelsEnd, METH_NOARGS, kNoDoc},
    {"kernels_drain", KernelsDrain, METH_O, kNoDoc},
    {"kernels_past", KernelsPast, METH_NOARGS, kNoDoc},
    {"kernels_detach", KernelsDetach, METH_NOARGS, kNoDoc},
    {"kernels_stay", KernelsStay, METH_NOARGS, kNoDoc},
    Fast("asked", Asked),
    Fast("stacks_due", StacksDueNow),
    {"stacks_claim", StacksClaim, METH_NOARGS, kNoDoc},
    {"stacks_take", StacksTake, METH_O, kNoDoc},
    {"stacks_stop", StacksStop, METH_O, kNoDoc},
    Fast("device_phases_begin", DevicePhasesBegin),
    Fast("device_border", DeviceBoundary),
    {"device_phases_pause", DevicePhasesPause, METH_O, kNoDoc},
    {"device_phases_end", DevicePhasesEnd, METH_NOARGS, kNoDoc},
    Fast("tensor", TensorOf),
    {"tensors_step", TensorsStep, METH_O, kNoDoc},
    Fast("tools_watch", ToolsWatch),
    Fast("tools_record", ToolsRecord),
    Fast("tools_change", ToolsChange),
    Fast("tools_made", ToolsMade),
    {"tools_uncaught", ToolsUncaught, METH_O, kNoDoc},
    {"tools_audited", ToolsAudited, METH_NOARGS, kNoDoc},
    {"tools_expect", ToolsExpect, METH_O, kNoDoc},
    {"tools_hurry", ToolsHurry, METH_O, kNoDoc},
    {"tools_own", ToolsOwn, METH_O, kNoDoc},
    {"tools_aside", ToolsAsideNow, METH_NOARGS, kNoDoc},
    {"stats", Stats, METH_NOARGS, kNoDoc},
    {nullptr, nullptr, 0, nullptr},
};

int AddType(PyObject* module, const char* name, PyObject* type) {
  if (type == nullptr) return -1;
  if (PyModule_AddObject(module, name, type) == 0) return 0;  // the module's reference now
  Py_DECREF(type);
  return -1;
}

// Each subinterpreter gets classes of its own.
int AddTypes(PyObject* module) {
  if (AddType(module, "Range", NewRangeType()) != 0) return -1;
  if (AddType(module, "Phase", NewPhaseType()) != 0) return -1;
  return AddType(module, "Quiet", NewQuietType());
}

PyModuleDef_Slot g_slots[] = {
    {Py_mod_exec, SlotOf(AddTypes)},
    {0, nullptr},
};

PyModuleDef g_module = {
    PyModuleDef_HEAD_INIT, "_probe", kNoDoc, 0, g_methods, g_slots, nullptr, nullptr, nullptr,
};

}  // namespace

uint32_t NameIdOf(PyObject* object) {
  const unsigned long id = PyLong_AsUnsignedLongMask(object);
  if (__builtin_expect(id == static_cast<unsigned long>(-1), 0)) {
    PyErr_Clear();
    return 0;
  }
  return static_cast<uint32_t>(id);
}

}  // namespace steptrace::probe

// Multi-phase, so that every subinterpreter may import it; all state is the process's.
PyMODINIT_FUNC PyInit__probe() {
  return PyModuleDef_Init(&steptrace::probe::g_module);
}
