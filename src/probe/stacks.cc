// SPDX-License-Identifier: Apache-2.0
#include "probe/stacks.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <utility>

#include "probe/stack_frames.h"
#include "probe/stack_tasks.h"
#include "transport/writer/fixed_text.h"
#include "transport/writer/hot_path.h"
#include "transport/writer/writer.h"
#include "wire/stack_control.h"
#include "wire/vocabulary.h"

namespace steptrace::probe {
namespace {

namespace t = transport;

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kSecond = 1'000'000'000;

// A thread that no known thread has started is found within so many samples, though all wait.
constexpr uint32_t kRoundsPerSample = 4;
// The main thread has no Python frames for moments of its end alone.
constexpr uint32_t kRoundsWithoutMain = 4;
// Nobody takes what is told: the agent is gone.
constexpr uint64_t kGiveUpNs = 30 * kSecond;
// Of a core. Measured over so long; half as often over it, and again twice as often where that
// fits.
constexpr double kBudget = 0.003;
constexpr double kBudgetToDouble = 0.45 * kBudget;
constexpr uint64_t kMeasureNs = 4 * kSecond;
// An end is waited for as long: a thread of the script's may have the interpreter's lock, or many
// the cores. A fork that finds the thread there is warned of since Python 3.12.
constexpr uint64_t kEndWaitNs = 500 * kMs;
// What sampling took is reported with so many changes of its pace: each such text is another in the
// arena of names.
constexpr uint32_t kMostCostsReported = 256;

// Also what the futex of those who wait for the thread's end and of the thread's pause is on.
enum State : uint32_t { kIdle, kClaimed, kOn, kOff };
std::atomic<uint32_t> g_state{kIdle};
std::atomic<uint32_t> g_stop{0};
std::atomic<int32_t> g_tid{0};  // of the thread that samples
std::atomic<bool> g_for_good{false};
bool g_forks_watched = false;
StackFrames g_frames;

uint64_t MonotonicNs() {
  return t::MonotonicTicks();
}

// Until the word is not `seen` any more; may end early.
void WaitWhile(std::atomic<uint32_t>& word, uint32_t seen, uint64_t most_ns) {
  timespec most{};
  most.tv_sec = static_cast<time_t>(most_ns / kSecond);
  most.tv_nsec = static_cast<long>(most_ns % kSecond);
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, &most, nullptr, 0);
}

void Wake(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
}

// In a forked child, where only the thread that forked is.
void ForgetInChild() {
  g_stop.store(0);
  g_tid.store(0);
  g_state.store(g_for_good.load() ? kOff : kIdle);
}

// Sampling in one thread, from its begin to its end.
class StackLoop {
 public:
  explicit StackLoop(const StackTools& tools) : tools_(tools) {}

  // With the interpreter's lock, which is left meanwhile.
  void Run();

 private:
  enum class Next { kGoOn, kEnd };
  bool Begin();
  Next Pause();
  Next FollowAgent();
  Next Sample(PyThreadState** python);
  bool SamplePython();
  bool TakeFrames();
  void TakeThread(unsigned long ident, PyObject* frame);
  void WriteStacks();
  void RecordPeriod(uint64_t cpu_ns, uint64_t wall_ns);
  void Measure();

  StackTools tools_;
  StackTasks tasks_;
  uint32_t name_ = 0;
  uint32_t random_ = 0;
  uint64_t asked_ns_ = 0;   // period that the agent wants
  uint64_t period_ns_ = 0;  // that is kept
  uint64_t due_ns_ = 0;     // the next sample, but for the jitter
  uint64_t last_reported_ns_ = 0;
  uint64_t measured_ns_ = 0;  // when the CPU time was
  uint64_t cpu_ns_ = 0;
  uint32_t rounds_since_sample_ = 0;
  uint32_t rounds_without_main_ = 0;
  uint32_t costs_reported_ = 0;
  bool left_out_ = false;
  bool settled_ = false;
};

bool StackLoop::Begin() {
  // A handler of the script's runs in a thread of the script's.
  sigset_t all;
  sigfillset(&all);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, nullptr, sizeof(uint64_t));
  prctl(PR_SET_NAME, "steptrace-stack", 0, 0, 0);
  g_tid.store(static_cast<int32_t>(syscall(SYS_gettid)));
  constexpr auto kCategory = static_cast<uint16_t>(wire::Category::kStack);
  name_ = t::Name(wire::kStackName, sizeof wire::kStackName - 1, kCategory);
  random_ = static_cast<uint32_t>(MonotonicNs()) | 1;
  due_ns_ = last_reported_ns_ = measured_ns_ = MonotonicNs();
  ReadCpuClock(CLOCK_THREAD_CPUTIME_ID, &cpu_ns_);
  return name_ != 0 && g_frames.Begin();
}

// At moments that jitter, so that they do not fall into step with the training.
StackLoop::Next StackLoop::Pause() {
  random_ ^= random_ << 13;  // xorshift32 (Marsaglia 2003)
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
  // From when it was due, not from when a sample ended: waiting for the interpreter is no part of
  // it.
  due_ns_ += period_ns_;
  if (due_ns_ < MonotonicNs()) due_ns_ = MonotonicNs() + period_ns_ / 2;
  const uint64_t until_ns = due_ns_ - period_ns_ / 2 + period_ns_ * (random_ >> 16) / 65536;
  for (uint64_t now_ns; (now_ns = MonotonicNs()) < until_ns;) {
    if (g_stop.load() != 0) return Next::kEnd;
    WaitWhile(g_stop, 0, until_ns - now_ns);
  }
  return g_stop.load() != 0 ? Next::kEnd : Next::kGoOn;
}

StackLoop::Next StackLoop::FollowAgent() {
  const uint64_t asked_ns = t::StackPeriodNs();
  if (asked_ns == 0) return Next::kEnd;
  if (asked_ns == asked_ns_) return Next::kGoOn;
  asked_ns_ = period_ns_ = asked_ns;
  RecordPeriod(0, 0);
  return Next::kGoOn;
}

void StackLoop::RecordPeriod(uint64_t cpu_ns, uint64_t wall_ns) {
  char text[128];
  t::FixedText json(text, sizeof text);
  json.Add("{\"period_ns\":").Add(period_ns_);
  if (wall_ns != 0 && costs_reported_ < kMostCostsReported) {
    json.Add(",\"cpu_ns\":").Add(cpu_ns).Add(",\"wall_ns\":").Add(wall_ns);
    ++costs_reported_;
  }
  if (tasks_.left_out()) json.Add(",\"threads_left_out\":true");
  json.Add("}");
  constexpr auto kCategory = static_cast<uint16_t>(wire::Category::kStack);
  const uint32_t id = t::Name(text, json.size(), kCategory);
  if (id != 0) t::Event(wire::RecordKind::kPayload, name_, id, 0);
}

void StackLoop::TakeThread(unsigned long ident, PyObject* frame) {
  if (ident == static_cast<unsigned long>(pthread_self())) return;
  StackTask* task = tasks_.Find(ident);
  if (task == nullptr) return;
  task->there = true;
  if (task->moved) task->stack = g_frames.IdOf(frame, tools_);
}

// False: Python would not.
bool StackLoop::TakeFrames() {
  PyObject* frames = PyObject_CallObject(tools_.current_frames, nullptr);
  if (frames == nullptr) {
    PyErr_Clear();
    return false;
  }
  tasks_.BeginRound();
  PyObject* key;
  PyObject* frame;
  Py_ssize_t at = 0;
  while (PyDict_Next(frames, &at, &key, &frame) != 0) {
    const unsigned long ident = PyLong_AsUnsignedLongMask(key);
    if (ident == static_cast<unsigned long>(-1) && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
    } else {
      TakeThread(ident, frame);
    }
  }
  Py_DECREF(frames);
  tasks_.EndRound();
  return true;
}

// A call of Python's own whose result is of no interest.
bool CallsTrue(PyObject* function) {
  PyObject* result = PyObject_CallObject(function, nullptr);
  if (result == nullptr) PyErr_Clear();
  const bool is_true = result == Py_True;
  Py_XDECREF(result);
  return is_true;
}

// With the interpreter's lock. False: it is over.
bool StackLoop::SamplePython() {
  // Before 3.12 making a container may collect garbage, which runs the script's finalizers.
  const bool collects = CallsTrue(tools_.gc_enabled);
  if (collects) CallsTrue(tools_.gc_disable);
  const bool taken = TakeFrames();
  if (collects) CallsTrue(tools_.gc_enable);
  rounds_without_main_ = tasks_.HasMain() ? 0 : rounds_without_main_ + 1;
  return taken && rounds_without_main_ < kRoundsWithoutMain;
}

// Without the interpreter's lock, which is asked for only if somebody has run.
StackLoop::Next StackLoop::Sample(PyThreadState** python) {
  const bool moved = tasks_.Refresh();
  if (!moved && ++rounds_since_sample_ < kRoundsPerSample) return Next::kGoOn;
  rounds_since_sample_ = 0;
  PyEval_RestoreThread(*python);
  const bool goes_on = SamplePython();
  *python = PyEval_SaveThread();
  if (goes_on) return Next::kGoOn;
  g_for_good.store(true);
  return Next::kEnd;
}

void StackLoop::WriteStacks() {
  for (const StackTask& task : tasks_) {
    if (task.stack == 0) continue;
    const uint64_t b = static_cast<uint32_t>(task.tid) | (task.running ? wire::kStackRuns : 0);
    t::Event(wire::RecordKind::kPayload, name_, task.stack, b);
  }
}

void StackLoop::Measure() {
  const uint64_t now_ns = MonotonicNs();
  const uint64_t wall_ns = now_ns - measured_ns_;
  if (wall_ns < kMeasureNs) return;
  uint64_t cpu_ns;
  if (!ReadCpuClock(CLOCK_THREAD_CPUTIME_ID, &cpu_ns)) return;
  const uint64_t spent_ns = cpu_ns - cpu_ns_;
  const double share = static_cast<double>(spent_ns) / static_cast<double>(wall_ns);
  measured_ns_ = now_ns;
  cpu_ns_ = cpu_ns;
  // At first every place is new, and told.
  if (!std::exchange(settled_, true)) return;
  const uint64_t before_ns = period_ns_;
  if (share > kBudget && period_ns_ <= wire::kMaxStackPeriodNs / 2) {
    period_ns_ *= 2;
  } else if (share < kBudgetToDouble && period_ns_ > asked_ns_) {
    period_ns_ = period_ns_ / 2 > asked_ns_ ? period_ns_ / 2 : asked_ns_;
  }
  const bool more_left_out = tasks_.left_out() && !left_out_;
  left_out_ = tasks_.left_out();
  if (period_ns_ != before_ns || more_left_out) RecordPeriod(spent_ns, wall_ns);
}

void StackLoop::Run() {
  if (!Begin()) {  // no memory, or no room for a name: a later thread would fare no better
    g_for_good.store(true);
    return;
  }
  PyThreadState* python = PyEval_SaveThread();
  while (FollowAgent() == Next::kGoOn && Pause() == Next::kGoOn) {
    const uint64_t now_ns = MonotonicNs();
    if (!t::HasRoom(StackTasks::kMaxTasks + 1)) {
      if (now_ns - last_reported_ns_ > kGiveUpNs) break;
      continue;
    }
    last_reported_ns_ = now_ns;
    if (Sample(&python) == Next::kEnd) break;
    WriteStacks();
    Measure();
  }
  PyEval_RestoreThread(python);
}

}  // namespace

bool StacksDue() {
  return g_state.load(std::memory_order_relaxed) == kIdle && t::StackPeriodNs() != 0;
}

bool ClaimStacks() {
  uint32_t idle = kIdle;
  if (!StacksDue() || !g_state.compare_exchange_strong(idle, kClaimed)) return false;
  if (!g_forks_watched) {
    g_forks_watched = true;  // with the interpreter's lock: by one thread
    pthread_atfork(nullptr, nullptr, ForgetInChild);
  }
  g_stop.store(0);
  return true;
}

void TakeStacks(PyObject* tuple) {
  uint32_t claimed = kClaimed;
  if (!g_state.compare_exchange_strong(claimed, kOn)) return;
  StackTools tools{};
  if (ReadStackTools(tuple, &tools)) StackLoop(tools).Run();
  g_state.store(g_for_good.load() ? kOff : kIdle);
  Wake(g_state);
}

void StopStacks(bool for_good) {
  if (for_good) g_for_good.store(true);
  uint32_t state = kIdle;
  if (for_good && g_state.compare_exchange_strong(state, kOff)) return;
  state = kClaimed;  // its thread has not begun: it will see that it need not
  if (g_state.compare_exchange_strong(state, for_good ? kOff : kIdle)) return;
  if (state != kOn) return;
  const int32_t tid = g_tid.load();
  const uint64_t until_ns = MonotonicNs() + kEndWaitNs;
  g_stop.store(1);
  Wake(g_stop);
  PyThreadState* python = PyEval_SaveThread();
  for (uint64_t now_ns = 0; (now_ns = MonotonicNs()) < until_ns && g_state.load() == kOn;) {
    WaitWhile(g_state, kOn, until_ns - now_ns);
  }
  // Until the system has let it go: a fork counts threads.
  while (tid != 0 && MonotonicNs() < until_ns && syscall(SYS_tgkill, getpid(), tid, 0) == 0) {
    sched_yield();
  }
  PyEval_RestoreThread(python);
}

}  // namespace steptrace::probe
