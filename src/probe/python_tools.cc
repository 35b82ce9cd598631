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

#include "probe/python_exchange.h"
#include "probe/python_range.h"
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
  PyObject* finder;    // of the hooks, in sys.meta_path
  PyObject* uncaught;  // is told of exceptions; null: nobody is
  PyObject* get_trace;
  PyObject* get_profile;
  PyObject* frames;    // sys._current_frames
  PyObject* get_tool;  // sys.monitoring.get_tool; null before Python 3.12
  bool is_aside;
  bool out_of_sight;  // but not aside yet: functions have their own code
  bool audited;       // by somebody else too, maybe in Python
  bool urgent;        // what is aside only by Python must not stay on
  bool busy;          // aside() or back() is called
  bool scheduled;     // CheckTools() is
  PyObject *kept_type, *kept_error, *kept_traceback;  // what CheckTools() raises
  Own own;
  uint32_t aside_name, back_name;  // of the instants; 0: nothing is recorded
  bool is_recorded;                // an instant says that they are aside
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

// Whether this thread has a tool. Called by C, a function of sys is seen by no tool.
bool ThreadHasTool() {
  const KeptError kept;
  const bool traced = !IsNone(PyObject_CallObject(g_tools.get_trace, nullptr));
  const bool profiled =
      !IsNone(PyObject_CallObject(g_tools.get_profile, nullptr)) && g_tools.own == Own::kNot;
  const unsigned long here = PyThread_get_thread_ident();
  if (traced || profiled) return Remember(here), true;
  ForgetThreads([here](unsigned long thread) { return thread == here; });
  return false;
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

void Schedule();

void RecordAside() {
  if (g_tools.is_recorded || g_tools.aside_name == 0) return;
  g_tools.is_recorded = true;
  transport::Instant(g_tools.aside_name, 0, 0);
}

void RecordBack() {
  if (g_tools.is_recorded) transport::Instant(g_tools.back_name, 0, 0);
  g_tools.is_recorded = false;
}

// What the functions called raise is the script's, as of a signal's handler. False: it is set.
bool StepAside(const char* tool) {
  g_tools.is_aside = g_tools.busy = true;
  PyObject* name = PyUnicode_FromString(tool);
  PyObject* answer =
      name == nullptr ? nullptr : PyObject_CallFunctionObjArgs(g_tools.aside, name, nullptr);
  Py_XDECREF(name);
  Py_XDECREF(answer);
  RecordAside();
  g_tools.busy = g_tools.out_of_sight = false;
  return answer != nullptr;
}

bool ComeBack() {
  g_tools.busy = true;
  g_tools.is_aside = false;
  PyObject* answer = PyObject_CallObject(g_tools.back, nullptr);
  Py_XDECREF(answer);
  g_tools.busy = false;
  // Another thread may have begun one meanwhile.
  const bool again = g_tools.out_of_sight || g_tools.thread_count != 0;
  if (!g_tools.out_of_sight) RecordBack();
  if (answer == nullptr) {
    if (again) Schedule();
    return false;
  }
  return !again || StepAside("a tool of another thread");
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
  const CollectionsPaused paused;
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

// Where no Python may run: the parts of ours that a tool would see step aside by C alone; the
// others do in CheckTools(). An audit hook in Python would run in the midst of that.
void StepOutOfSight() {
  if (g_tools.out_of_sight || g_tools.audited) return;
  if (IsBorrowed() && !CollectionsPaused::IsPossible()) return;
  const bool was_busy = g_tools.busy;
  g_tools.busy = true;  // what is done is audited
  const CollectionsPaused paused;
  const KeptError kept;
  PublishOwnCodes();
  TakeOutFinder(g_tools.finder, g_tools.frames);
  RecordAside();
  g_tools.out_of_sight = true;
  g_tools.busy = was_busy;
}

// Keeps the error that is set for CheckTools(): whoever sets a tool must not fail for us.
void KeepError() {
  if (PyErr_ExceptionMatches(PyExc_RecursionError) != 0 || g_tools.kept_type != nullptr) {
    return PyErr_Clear();
  }
  PyErr_Fetch(&g_tools.kept_type, &g_tools.kept_error, &g_tools.kept_traceback);
  Schedule();  // again: a CheckTools() that was due may have come meanwhile
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
  static bool IsPossible() { return PyThreadState_EnterTracing != nullptr; }
  Unseen() : thread_(PyThreadState_Get()) {
    if (IsPossible()) PyThreadState_EnterTracing(thread_);
  }
  ~Unseen() {
    if (IsPossible()) PyThreadState_LeaveTracing(thread_);
  }
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;

 private:
  PyThreadState* thread_;
};

bool StepAsideUnseen() {
  const Unseen unseen;
  return StepAside("a tool that began beside other threads");
}

// Where the tools of all threads are off: back, and before that aside, if that was yet to be done.
bool ComeBackIfOver() {
  if (SomeToolIsOn()) return true;
  if (!g_tools.is_aside && !StepAsideUnseen()) return false;
  return ComeBack();
}

// Before Python 3.11 this thread's own tool would see it.
bool CanStepAside(bool has_tool) {
  return !g_tools.is_aside && (!has_tool || Unseen::IsPossible());
}

// In the main thread, between two instructions of Python's.
int CheckTools(void*) {
  g_tools.scheduled = false;
  if (RaiseKept() != 0) return -1;
  if (g_tools.busy || !IsHere() || IsBorrowed()) return 0;
  const bool has_tool = ThreadHasTool();
  if (!ToolsAside() && !SomeToolIsOn()) return 0;
  // What is out of sight can wait for the tool's end, where this is called again.
  const bool now = CanStepAside(has_tool) || !g_tools.out_of_sight || g_tools.urgent;
  if (now && !g_tools.is_aside && !StepAsideUnseen()) return -1;
  return ComeBackIfOver() ? 0 : -1;
}

void Schedule() {
  if (!g_tools.scheduled) g_tools.scheduled = Py_AddPendingCall(CheckTools, nullptr) == 0;
}

// ---- events -------------------------------------------------------------------------------------

// kTool: one begins, changes or ends: which of these is not said.
// kUncaught: an exception that nobody caught is about to be printed.
enum class Event : unsigned char { kOther, kTool, kAuditHook, kUncaught };

Event EventOf(const char* event) {
  if (strncmp(event, "sys.", 4) != 0) return Event::kOther;
  const std::string_view name = event + 4;
  if (name == "addaudithook") return Event::kAuditHook;
  if (name == "excepthook") return Event::kUncaught;
  const bool of_tool =
      name == "settrace" || name == "setprofile" || name == "monitoring.register_callback";
  return of_tool ? Event::kTool : Event::kOther;
}

int OnToolEvent(const char* event) {
  if (g_tools.own == Own::kChanging) return 0;
  g_tools.expected_until_ns = 0;
  // A tool of sys.monitoring is the interpreter's, not the thread's.
  if (strncmp(event, "sys.m", 5) != 0) Remember(PyThread_get_thread_ident());
  Schedule();
  if (g_tools.busy) return StepOutOfSight(), 0;  // another thread steps aside, or comes back
  if (g_tools.is_aside) return 0;
  if (IsBorrowed() || !RunsAlone()) return StepOutOfSight(), 0;
  if (!StepAside(event)) KeepError();
  return 0;
}

// The event's arguments: sys.excepthook, then the exception's type, value and traceback. An error
// here has no way to go: Python would print it beside the script's own.
void RecordUncaught(PyObject* arguments) {
  if (g_tools.uncaught == nullptr || IsBorrowed() || PyTuple_Size(arguments) < 4) return;
  if (g_tools.audited) return;  // the script's own hook would see what is done
  if (!Unseen::IsPossible() && ThreadHasTool()) return;
  const bool was_busy = g_tools.busy;
  g_tools.busy = true;  // what is done is audited
  {
    const KeptError kept;
    const Unseen unseen;
    PyObject* answer = PyObject_CallFunctionObjArgs(g_tools.uncaught, PyTuple_GetItem(arguments, 1),
                                                    PyTuple_GetItem(arguments, 2),
                                                    PyTuple_GetItem(arguments, 3), nullptr);
    if (answer == nullptr) PyErr_Clear();
    Py_XDECREF(answer);
  }
  g_tools.busy = was_busy;
}

int OnAudit(const char* name, PyObject* arguments, void*) {
  const Event event = EventOf(name);
  if (event == Event::kOther && !ToolsAside()) return 0;  // nearly always
  if (!IsHere()) return 0;
  if (event == Event::kAuditHook) g_tools.audited = true;
  if (event == Event::kTool) return OnToolEvent(name);
  if (event == Event::kUncaught) return RecordUncaught(arguments), 0;
  if (!ToolsAside() || g_tools.busy || IsBorrowed()) return 0;
  const bool has_tool = ThreadHasTool();
  // The main thread may wait for long.
  const bool now = g_tools.urgent && CanStepAside(has_tool);
  const bool good = (!now || StepAsideUnseen()) && ComeBackIfOver();
  if (!good) KeepError();
  return 0;
}

// The arguments of an event are made only if somebody hears of it.
bool SomebodyAudits() {
  bool heard = false;
  PyObject* (*hear)(void*) = [](void* flag) {
    *static_cast<bool*>(flag) = true;
    return None();
  };
  if (PySys_Audit("steptrace.watch", "O&", hear, &heard) != 0) PyErr_Clear();
  return heard;
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

bool WatchTools(PyObject* aside, PyObject* back, PyObject* finder) {
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
  g_tools.audited = SomebodyAudits();
  if (!PrepareExchange() || PySys_AddAuditHook(OnAudit, nullptr) != 0) {
    PyErr_Clear();
    return false;
  }
  Py_INCREF(aside);
  Py_INCREF(back);
  Py_INCREF(finder);
  g_tools.finder = finder;
  g_tools.aside = aside;
  g_tools.back = back;
  g_tools.interpreter = PyInterpreterState_Get();
  // A child that is forked while another thread steps aside has nobody who ends that.
  pthread_atfork(nullptr, nullptr, [] { g_tools.busy = g_tools.scheduled = false; });
  ThreadHasTool();  // a tool may be on already
  if (SomeToolIsOn()) Schedule();
  return true;
}

void RecordTools(uint32_t aside_name, uint32_t back_name) {
  g_tools.aside_name = aside_name;
  g_tools.back_name = back_name;
  // What was not recorded before has been aside, also if it comes back right now.
  if (ToolsAside() || g_tools.busy) RecordAside();
}

}  // namespace

PyObject* ToolsWatch(PyObject*, PyObject* const* items, Py_ssize_t count) {
  return PyBool_FromLong(count == 3 && WatchTools(items[0], items[1], items[2]) ? 1 : 0);
}

PyObject* ToolsRecord(PyObject*, PyObject* const* items, Py_ssize_t count) {
  if (count == 2) RecordTools(NameIdOf(items[0]), NameIdOf(items[1]));
  return None();
}

PyObject* ToolsChange(PyObject*, PyObject* const* items, Py_ssize_t count) {
  if (count != 3) return None();
  return ChangeCode(items[0], items[1], items[2], ToolsAside()) ? None() : nullptr;
}

PyObject* ToolsMade(PyObject*, PyObject* const* items, Py_ssize_t count) {
  if (count != 3) return None();
  // The script makes the function: it fails for nothing of ours.
  if (!ChangeCode(items[0], items[1], items[2], ToolsAside())) PyErr_Clear();
  Py_INCREF(items[2]);
  return items[2];
}

PyObject* ToolsUncaught(PyObject*, PyObject* tell) {
  if (g_tools.interpreter != nullptr && g_tools.uncaught == nullptr) {
    Py_INCREF(tell);
    g_tools.uncaught = tell;
  }
  return None();
}

PyObject* ToolsAudited(PyObject*, PyObject*) {
  return PyBool_FromLong(g_tools.audited ? 1 : 0);
}

void RequestPause(bool urgent) {
  g_tools.urgent = urgent;
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
  return g_tools.is_aside || g_tools.out_of_sight;
}

void CheckForTools() {
  if (!ToolsAside() || g_tools.busy || !IsHere() || IsBorrowed()) return;
  ThreadHasTool();
  if (!SomeToolIsOn()) Schedule();
}

}  // namespace steptrace::probe
