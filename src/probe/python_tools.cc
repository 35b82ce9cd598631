// SPDX-License-Identifier: Apache-2.0
#include "probe/python_tools.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "transport/writer/writer.h"

namespace steptrace::probe {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;
// Threads that have ended are looked for so often at most.
constexpr int64_t kEndedEveryNs = 10 * kNsPerMs;
// A tool that is expected and has not begun by then does not come.
constexpr int64_t kExpectedNs = 10'000 * kNsPerMs;
constexpr size_t kMaxThreads = 64;
constexpr int kMonitoringTools = 6;  // of sys.monitoring that a script can have

// Read and written with the interpreter's lock.
struct Tools {
  PyInterpreterState* interpreter;  // null: none is watched
  PyObject* aside;
  PyObject* back;
  PyObject* get_trace;
  PyObject* get_profile;
  PyObject* frames;    // sys._current_frames
  PyObject* get_tool;  // sys.monitoring.get_tool; null before Python 3.12
  bool is_aside;
  bool busy;                                          // aside() or back() is called
  bool scheduled;                                     // Look() is
  PyObject *kept_type, *kept_error, *kept_traceback;  // what Look() raises
  Own own;
  int64_t expected_until_ns;
  int64_t next_ended_ns;
  std::array<unsigned long, kMaxThreads> threads;  // those that may have a tool
  size_t thread_count;
};
constinit Tools g_tools{};

int64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000 * kNsPerMs + now.tv_nsec;
}

// An error that is set already stays set.
class KeptError {
 public:
  KeptError() { PyErr_Fetch(&type_, &error_, &traceback_); }
  ~KeptError() { PyErr_Restore(type_, error_, traceback_); }
  KeptError(const KeptError&) = delete;
  KeptError& operator=(const KeptError&) = delete;

 private:
  PyObject *type_ = nullptr, *error_ = nullptr, *traceback_ = nullptr;
};

bool IsNone(PyObject* answer) {
  const bool none = answer == Py_None || answer == nullptr;
  if (answer == nullptr) PyErr_Clear();
  Py_XDECREF(answer);
  return none;
}

// ---- threads ------------------------------------------------------------------------------------

void Remember(unsigned long thread) {
  const auto end = g_tools.threads.begin() + g_tools.thread_count;
  if (std::find(g_tools.threads.begin(), end, thread) != end) return;
  // Of more, one that still has a tool is remembered again where it looks.
  if (g_tools.thread_count == kMaxThreads) --g_tools.thread_count;
  g_tools.threads[g_tools.thread_count++] = thread;
}

template <class Gone>
void ForgetThreads(Gone gone) {
  const auto end = g_tools.threads.begin() + g_tools.thread_count;
  g_tools.thread_count = static_cast<size_t>(std::remove_if(g_tools.threads.begin(), end, gone) -
                                             g_tools.threads.begin());
}

// Called by C, a function of sys is seen by no tool.
void LookHere() {
  const KeptError kept;
  const bool traced = !IsNone(PyObject_CallObject(g_tools.get_trace, nullptr));
  const bool profiled =
      !IsNone(PyObject_CallObject(g_tools.get_profile, nullptr)) && g_tools.own == Own::kNot;
  const unsigned long here = PyThread_get_thread_ident();
  if (traced || profiled) return Remember(here);
  ForgetThreads([here](unsigned long thread) { return thread == here; });
}

// A thread may end with its tool on.
void ForgetEnded() {
  const int64_t now_ns = NowNs();
  if (now_ns < g_tools.next_ended_ns) return;
  g_tools.next_ended_ns = now_ns + kEndedEveryNs;
  const KeptError kept;
  PyObject* frames = PyObject_CallObject(g_tools.frames, nullptr);
  if (frames == nullptr) return PyErr_Clear();
  ForgetThreads([frames](unsigned long thread) {
    PyObject* key = PyLong_FromUnsignedLongLong(thread);
    const bool gone = key != nullptr && PyDict_GetItemWithError(frames, key) == nullptr;
    PyErr_Clear();
    Py_XDECREF(key);
    return gone;
  });
  Py_DECREF(frames);
}

bool IsMonitored() {
  if (g_tools.get_tool == nullptr) return false;
  const KeptError kept;
  for (int tool = 0; tool < kMonitoringTools; ++tool) {
    PyObject* number = PyLong_FromUnsignedLongLong(static_cast<unsigned>(tool));
    if (number == nullptr) return PyErr_Clear(), false;
    const bool on = !IsNone(PyObject_CallFunctionObjArgs(g_tools.get_tool, number, nullptr));
    Py_DECREF(number);
    if (on) return true;
  }
  return false;
}

bool SomeToolIsOn() {
  if (NowNs() < g_tools.expected_until_ns) return true;
  if (g_tools.thread_count != 0) ForgetEnded();
  return g_tools.thread_count != 0 || IsMonitored();
}

// ---- aside and back -----------------------------------------------------------------------------

// What the functions called raise is the script's, as of a signal's handler. False: it is set.
bool StepAside(const char* tool) {
  g_tools.is_aside = g_tools.busy = true;
  PyObject* name = PyUnicode_FromString(tool);
  PyObject* answer =
      name == nullptr ? nullptr : PyObject_CallFunctionObjArgs(g_tools.aside, name, nullptr);
  Py_XDECREF(name);
  Py_XDECREF(answer);
  g_tools.busy = false;
  return answer != nullptr;
}

bool ComeBack() {
  g_tools.busy = true;
  PyObject* answer = PyObject_CallObject(g_tools.back, nullptr);
  Py_XDECREF(answer);
  g_tools.is_aside = g_tools.busy = false;
  if (answer == nullptr) return false;
  // Another thread may have begun one meanwhile.
  return g_tools.thread_count == 0 || StepAside("a tool of another thread");
}

bool IsHere() {
  return g_tools.interpreter != nullptr && Py_IsInitialized() != 0 &&
         PyInterpreterState_Get() == g_tools.interpreter;
}

// Whether another thread's state stands in for this one's, as where torch sets a profiler in each:
// Python must not run in it, for that thread may go on meanwhile.
bool IsBorrowed() {
  return PyThreadState_Get() != PyGILState_GetThisThreadState();
}

// While a tracer or profiler is set in a thread, no other can set one (CPython 3.10 and 3.11 raise,
// and so does cProfile's). So Python runs in that event only if no other thread can.
bool RunsAlone() {
  const bool was_busy = g_tools.busy;
  g_tools.busy = true;  // what is asked is audited itself
  const KeptError kept;
  PyObject* frames = PyObject_CallObject(g_tools.frames, nullptr);
  const bool alone = frames != nullptr && PyDict_Size(frames) <= 1;
  if (frames == nullptr) PyErr_Clear();
  Py_XDECREF(frames);
  g_tools.busy = was_busy;
  return alone;
}

void Schedule();

// Keeps the error that is set for Look(): whoever sets a tool must not fail for us.
void KeepError() {
  if (PyErr_ExceptionMatches(PyExc_RecursionError) != 0 || g_tools.kept_type != nullptr) {
    return PyErr_Clear();
  }
  PyErr_Fetch(&g_tools.kept_type, &g_tools.kept_error, &g_tools.kept_traceback);
  Schedule();  // again: a Look() that was due may have come meanwhile
}

int RaiseKept() {
  if (g_tools.kept_type == nullptr) return 0;
  PyErr_Restore(g_tools.kept_type, g_tools.kept_error, g_tools.kept_traceback);
  g_tools.kept_type = g_tools.kept_error = g_tools.kept_traceback = nullptr;
  return -1;
}

// What runs meanwhile in this thread no tracer or profiler of the script's sees, from 3.11 on.
class Unseen {
 public:
  Unseen() : thread_(PyThreadState_Get()) {
    if (PyThreadState_EnterTracing != nullptr) PyThreadState_EnterTracing(thread_);
  }
  ~Unseen() {
    if (PyThreadState_LeaveTracing != nullptr) PyThreadState_LeaveTracing(thread_);
  }
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;

 private:
  PyThreadState* thread_;
};

bool LookAndComeBack() {
  LookHere();
  return SomeToolIsOn() || ComeBack();
}

// In the main thread, between two instructions of Python's.
int Look(void*) {
  g_tools.scheduled = false;
  if (RaiseKept() != 0) return -1;
  if (g_tools.busy || !IsHere() || IsBorrowed()) return 0;
  if (g_tools.is_aside) return LookAndComeBack() ? 0 : -1;
  // A tool that began where no Python could run.
  LookHere();
  if (!SomeToolIsOn()) return 0;
  const Unseen unseen;
  return StepAside("a tool that began beside other threads") ? 0 : -1;
}

void Schedule() {
  if (!g_tools.scheduled) g_tools.scheduled = Py_AddPendingCall(Look, nullptr) == 0;
}

// ---- events -------------------------------------------------------------------------------------

// Of a tool that begins, changes or ends: which of these is not said.
bool IsOfTool(const char* event) {
  if (strncmp(event, "sys.", 4) != 0) return false;
  const std::string_view name = event + 4;
  return name == "settrace" || name == "setprofile" || name == "monitoring.register_callback";
}

int OnToolEvent(const char* event) {
  if (g_tools.own == Own::kChanging) return 0;
  g_tools.expected_until_ns = 0;
  // A tool of sys.monitoring is the interpreter's, not the thread's.
  if (strncmp(event, "sys.m", 5) != 0) Remember(PyThread_get_thread_ident());
  Schedule();
  if (g_tools.busy || g_tools.is_aside || IsBorrowed() || !RunsAlone()) return 0;
  if (!StepAside(event)) KeepError();
  return 0;
}

int OnAudit(const char* event, PyObject*, void*) {
  const bool of_tool = IsOfTool(event);
  if (!of_tool && !g_tools.is_aside) return 0;  // nearly always
  if (!IsHere()) return 0;
  if (of_tool) return OnToolEvent(event);
  if (g_tools.busy || IsBorrowed()) return 0;
  if (!LookAndComeBack()) KeepError();
  return 0;
}

PyObject* OfSys(const char* name) {
  PyObject* function = PySys_GetObject(name);  // borrowed
  Py_XINCREF(function);
  return function;
}

PyObject* GetTool() {
  PyObject* monitoring = PySys_GetObject("monitoring");
  PyObject* name = monitoring == nullptr ? nullptr : PyUnicode_FromString("get_tool");
  PyObject* function = name == nullptr ? nullptr : PyObject_GetAttr(monitoring, name);
  Py_XDECREF(name);
  if (function == nullptr) PyErr_Clear();
  return function;
}

// ---- Quiet --------------------------------------------------------------------------------------

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
  if (!g_tools.is_aside) return PyObject_CallObject(quiet->function, arguments);
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

bool WatchTools(PyObject* aside, PyObject* back) {
  // Python 3.8 prints what a pending call comes too late for: it is not watched.
  if (g_tools.interpreter != nullptr || PySys_AddAuditHook == nullptr ||
      PyInterpreterState_Get == nullptr) {
    return false;
  }
  g_tools.get_trace = OfSys("gettrace");
  g_tools.get_profile = OfSys("getprofile");
  g_tools.frames = OfSys("_current_frames");
  if (g_tools.get_trace == nullptr || g_tools.get_profile == nullptr || g_tools.frames == nullptr) {
    return false;
  }
  g_tools.get_tool = GetTool();
  if (PySys_AddAuditHook(OnAudit, nullptr) != 0) {
    PyErr_Clear();
    return false;
  }
  Py_INCREF(aside);
  Py_INCREF(back);
  g_tools.aside = aside;
  g_tools.back = back;
  g_tools.interpreter = PyInterpreterState_Get();
  // A child that is forked while another thread steps aside has nobody who ends that.
  pthread_atfork(nullptr, nullptr, [] { g_tools.busy = g_tools.scheduled = false; });
  LookHere();  // a tool may be on already
  if (SomeToolIsOn()) Schedule();
  return true;
}

bool ExpectTool(const char* tool) {
  if (!IsHere()) return true;
  g_tools.expected_until_ns = NowNs() + kExpectedNs;
  return g_tools.busy || g_tools.is_aside || StepAside(tool);
}

void OwnTool(Own own) {
  g_tools.own = own;
}

bool ToolsAside() {
  return g_tools.is_aside;
}

void LookForTools() {
  if (!g_tools.is_aside || g_tools.busy || !IsHere() || IsBorrowed()) return;
  LookHere();
  if (!SomeToolIsOn()) Schedule();
}

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
