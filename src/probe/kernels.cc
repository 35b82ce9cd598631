// SPDX-License-Identifier: Apache-2.0
#include "probe/kernels.h"

#include <pthread.h>
#include <string.h>

#include <atomic>

#include "probe/activity_buffers.h"
#include "probe/cupti_detach.h"
#include "probe/cupti_library.h"
#include "probe/kernel_names.h"
#include "probe/unended_work.h"
#include "transport/writer/fixed_text.h"
#include "transport/writer/writer.h"
#include "wire/vocabulary.h"

namespace steptrace::probe {
namespace {

namespace t = transport;
using cupti::Kind;
using cupti::kSuccess;
using wire::Category;
using wire::DeviceLoss;

// Records are taken in ranges of so many; a ring's room is looked at before each.
constexpr uint32_t kRecordsAtOnce = 64;
constexpr uint32_t kRecordsOfOne = 2;  // a copy: its bytes, and it
constexpr uint32_t kFlushPeriodMs = 50;
// Calls of the end of a window, one a step, after which what found no room in a ring is given up:
// nobody reads the ring any more.
constexpr uint32_t kMaxLastDrains = 1000;
// A thread of CUPTI's may have a buffer in its hands that it has not handed over yet when all is
// flushed: so long after it is waited for.
constexpr uint64_t kLongestReturnNs = 200'000'000;
constexpr uint32_t kMaxContexts = 64;
constexpr uint32_t kNoStream = 0xFFFFFFFF;  // a wait of the host, for a whole device

enum class State : uint32_t { kOff, kOn, kEnding, kReleased };

struct ClockPair {
  uint64_t ticks = 0;
  uint64_t device_ns = 0;
};

struct ContextDevice {
  uint32_t context, device;
};

struct Collector {
  std::atomic<State> state{State::kOff};
  std::atomic<bool> converting{false};  // who set it owns everything below `counted`
  std::atomic<uint64_t> library_lost{0};
  std::atomic<uint64_t> counted{0};
  bool forked = false;
  bool fork_handled = false;
  bool saw_graphs = false;  // of CUDA's, in any window
  // CUPTI that comes back numbers anew: what is told goes on behind the highest that was told.
  uint32_t times_left = 0;
  uint32_t told_behind = 0;
  uint32_t highest_reported = 0;
  CuptiLibrary library;
  ActivityBuffers buffers;
  KernelNames names;
  ClockPair clock;
  uint32_t clock_name = 0;
  uint32_t bytes_name = 0;
  uint32_t lost_name = 0;
  KnownUsers known_users = KnownUsers::kNobody;
  bool another_came = false;  // while the window was on
  UnendedWork unended;
  uint64_t unnamed = 0;
  uint32_t last_drains = 0;
  uint64_t released_ns = 0;
  uint32_t contexts = 0;
  ContextDevice devices[kMaxContexts]{};
  char reason[200]{};
  char taken[250]{};  // a reason among others
};
constinit Collector g_kernels;

constexpr Kind kDeviceKinds[] = {Kind::kConcurrentKernel, Kind::kMemcpy, Kind::kMemset,
                                 Kind::kSynchronization};
constexpr Kind kHostKinds[] = {Kind::kRuntime, Kind::kDriver};

uint32_t WindowName(const char* name) {
  return t::Name(name, strlen(name), static_cast<uint16_t>(Category::kWindow));
}

void RecordLoss(DeviceLoss cause, uint64_t count) {
  if (count > 0) {
    t::Activity(t::ClockTicks(), g_kernels.lost_name, count, static_cast<uint64_t>(cause));
  }
}

// `why`: the sentence of another user of CUPTI. A loss by that cause.
const char* Taken(const char* why) {
  RememberOtherUser();
  RecordLoss(DeviceLoss::kTaken, 1);
  t::FixedText(g_kernels.taken, sizeof g_kernels.taken).Add("CUPTI is taken: ").Add(why);
  return g_kernels.taken;
}

bool IsOfAnotherUser(cupti::Result result) {
  return result == cupti::kNotCompatible || result == cupti::kMultipleSubscribers;
}

// ---- clocks ----

// Of several tries the one in which the least time lay between the two readings of ours.
ClockPair ReadClocks() {
  constexpr int kTries = 5;
  ClockPair best;
  uint64_t closest = ~0ull;
  for (int i = 0; i < kTries; ++i) {
    ClockPair pair;
    const uint64_t before = t::ClockTicks();
    if (g_kernels.library.functions.GetTimestamp(&pair.device_ns) != kSuccess) continue;
    const uint64_t after = t::ClockTicks();
    if (after - before >= closest) continue;
    closest = after - before;
    pair.ticks = before + (after - before) / 2;
    best = pair;
  }
  return best;
}

// Why no pair was had.
const char* NoClock() {
  uint64_t ns = 0;
  if (IsOfAnotherUser(g_kernels.library.functions.GetTimestamp(&ns))) {
    return Taken("another tool uses the calls that subscribers have of their own");
  }
  return "cuptiGetTimestamp does not tell the device's time";
}

void RecordClock(const ClockPair& pair) {
  if (pair.device_ns != 0) {
    t::Activity(pair.ticks, g_kernels.clock_name, pair.device_ns, 0);
  }
}

// ---- buffers ----

ActivityBuffers::NextRecord NextRecord() {
  return g_kernels.library.functions.ActivityGetNextRecord;
}

// CUPTI's thread, or one that launches. Never waits. A buffer is refused when CUPTI holds all: the
// records are lost then, and CUPTI counts them.
void OnRequested(uint8_t** buffer, size_t* bytes, size_t* most_records) {
  *buffer = nullptr;
  *bytes = 0;
  *most_records = 0;  // as many as there is room for
  if (g_kernels.forked) return;
  *buffer = g_kernels.buffers.Take(NextRecord());
  if (*buffer != nullptr) *bytes = ActivityBuffers::kBytes;
}

// ---- records ----

void Record(uint32_t name, uint32_t place, uint64_t start, uint64_t end, uint32_t correlation,
            uint64_t bytes = wire::kNoArgument) {
  // Its bytes would be those of the ring's next activity.
  if (name == 0 || place == 0) return static_cast<void>(++g_kernels.unnamed);
  if (bytes != wire::kNoArgument) t::Activity(start, g_kernels.bytes_name, bytes, 0);
  const uint32_t reported = g_kernels.told_behind + correlation;
  if (reported > g_kernels.highest_reported) g_kernels.highest_reported = reported;
  t::Activity(start, name, end, uint64_t{place} << 32 | reported);
}

// Of what was told before it ended (a forced flush) the times are 0.
bool HasEnded(uint64_t start, uint64_t end, uint32_t correlation) {
  if (start != 0 && end >= start) return true;
  g_kernels.unended.Add(correlation);
  return false;
}

void NoteContext(uint32_t context, uint32_t device) {
  Collector& k = g_kernels;
  for (uint32_t i = 0; i < k.contexts; ++i) {
    if (k.devices[i].context == context) return;
  }
  if (k.contexts < kMaxContexts) k.devices[k.contexts++] = {context, device};
}

void TakeKernel(const cupti::Kernel& kernel) {
  if (!HasEnded(kernel.start, kernel.end, kernel.correlation)) return;
  Collector& k = g_kernels;
  k.unended.NoteEnded(kernel.correlation);
  Place place;
  place.device = kernel.device;
  place.context = kernel.context;
  place.stream = kernel.stream;
  place.registers = kernel.registers;
  memcpy(place.grid, kernel.grid, sizeof place.grid);
  memcpy(place.block, kernel.block, sizeof place.block);
  place.shared = static_cast<uint64_t>(kernel.static_shared < 0 ? 0 : kernel.static_shared) +
                 static_cast<uint64_t>(kernel.dynamic_shared < 0 ? 0 : kernel.dynamic_shared);
  if (k.library.version >= cupti::kGraphVersion) {
    const auto& graph = reinterpret_cast<const cupti::KernelInGraph&>(kernel);
    place.graph = graph.graph;
    place.graph_node = graph.graph == 0 ? 0 : graph.graph_node;
    k.saw_graphs = k.saw_graphs || graph.graph != 0;
  }
  NoteContext(kernel.context, kernel.device);
  Record(k.names.Kernel(kernel.name), k.names.IdOf(place), kernel.start, kernel.end,
         kernel.correlation);
}

// A copy or a fill.
template <class Move>
void TakeMove(const Move& move, uint32_t name) {
  if (!HasEnded(move.start, move.end, move.correlation)) return;
  g_kernels.unended.NoteEnded(move.correlation);
  Place place;
  place.device = move.device;
  place.context = move.context;
  place.stream = move.stream;
  NoteContext(move.context, move.device);
  Record(name, g_kernels.names.IdOf(place), move.start, move.end, move.correlation, move.bytes);
}

void TakeCall(const cupti::Api& call) {
  const auto domain = static_cast<Kind>(call.kind) == Kind::kDriver
                          ? cupti::CallbackDomain::kDriver
                          : cupti::CallbackDomain::kRuntime;
  const uint32_t name = g_kernels.names.Call(domain, call.call);
  g_kernels.unended.NoteCall(call.correlation);
  if (name == 0 || !HasEnded(call.start, call.end, call.correlation)) return;
  Record(name, g_kernels.names.IdOfThread(call.thread), call.start, call.end, call.correlation);
}

// On a stream whose device is known. The host's own waits are among its calls.
void TakeWait(const cupti::Synchronization& wait) {
  if (wait.stream == kNoStream || !HasEnded(wait.start, wait.end, wait.correlation)) return;
  for (uint32_t i = 0; i < g_kernels.contexts; ++i) {
    if (g_kernels.devices[i].context != wait.context) continue;
    Place place;
    place.device = g_kernels.devices[i].device;
    place.context = wait.context;
    place.stream = wait.stream;
    Record(g_kernels.names.Wait(wait.type), g_kernels.names.IdOf(place), wait.start, wait.end,
           wait.correlation);
    return;
  }
}

void TakeRecord(const void* record) {
  g_kernels.counted.fetch_add(1, std::memory_order_relaxed);
  switch (*static_cast<const Kind*>(record)) {
    case Kind::kConcurrentKernel:
      return TakeKernel(*static_cast<const cupti::Kernel*>(record));
    case Kind::kMemcpy: {
      const auto& copy = *static_cast<const cupti::Memcpy*>(record);
      return TakeMove(copy, g_kernels.names.Copy(copy));
    }
    case Kind::kMemset: {
      const auto& fill = *static_cast<const cupti::Memset*>(record);
      return TakeMove(fill, g_kernels.names.Fill(fill));
    }
    case Kind::kRuntime:
    case Kind::kDriver:
      return TakeCall(*static_cast<const cupti::Api*>(record));
    case Kind::kSynchronization:
      return TakeWait(*static_cast<const cupti::Synchronization*>(record));
  }
  g_kernels.counted.fetch_sub(1, std::memory_order_relaxed);  // of a kind that others asked for
}

// False: the ring has no room for more now.
bool Convert(uint32_t buffer) {
  while (true) {
    if (!t::HasRoom(kRecordsOfOne * kRecordsAtOnce)) return false;
    for (uint32_t i = 0; i < kRecordsAtOnce; ++i) {
      const void* record = g_kernels.buffers.Next(buffer, NextRecord());
      if (record == nullptr) return true;
      TakeRecord(record);
    }
  }
}

// True: nothing that is filled is left. Only one thread at a time converts; who comes meanwhile
// leaves it to that one, or to the next.
bool ConvertFilled() {
  Collector& k = g_kernels;
  if (k.forked || !k.buffers.AnyFilled()) return true;
  if (k.converting.exchange(true, std::memory_order_acquire)) return false;
  t::RequestLargeRing();
  bool all = t::HasRoom(kRecordsOfOne * kRecordsAtOnce + 2);
  if (all) {
    const ClockPair now = ReadClocks();
    RecordClock(k.clock);
    RecordClock(now);
    k.clock = now;
  }
  for (uint32_t buffer; all && (buffer = k.buffers.Claim()) != ActivityBuffers::kNone;) {
    all = Convert(buffer);
    all ? k.buffers.Free(buffer) : k.buffers.PutBack(buffer);
  }
  k.converting.store(false, std::memory_order_release);
  return all;
}

void OnCompleted(void* context, uint32_t stream, uint8_t* bytes, size_t, size_t valid_bytes) {
  Collector& k = g_kernels;
  if (k.forked || !k.buffers.Complete(bytes, valid_bytes)) return;
  size_t dropped = 0;
  if (k.library.functions.ActivityGetNumDroppedRecords(context, stream, &dropped) == kSuccess) {
    k.library_lost.fetch_add(dropped, std::memory_order_relaxed);
  }
  ConvertFilled();
}

// ---- on and off ----

void OnForkInChild() {
  ForgetDetach();
  g_kernels.forked = true;
  g_kernels.state.store(State::kOff, std::memory_order_relaxed);
}

const char* Refused(const char* what, cupti::Result result) {
  const char* text = nullptr;
  const auto ask = g_kernels.library.functions.GetResultString;
  if (ask == nullptr || ask(result, &text) != kSuccess || text == nullptr) text = "error";
  t::FixedText(g_kernels.reason, sizeof g_kernels.reason)
      .Add(what)
      .Add(" refuses: ")
      .Add(text)
      .Add(" (")
      .Add(static_cast<uint64_t>(result))
      .Add(")");
  return IsOfAnotherUser(result) ? Taken(g_kernels.reason) : g_kernels.reason;
}

void Disable(const Kind* kinds, size_t count) {
  for (size_t i = 0; i < count; ++i) (void)g_kernels.library.functions.ActivityDisable(kinds[i]);
}

// Kernels must be had; of the rest what this version and this process allow.
const char* Enable() {
  const cupti::Functions& f = g_kernels.library.functions;
  if (const auto result = f.ActivityRegisterCallbacks(OnRequested, OnCompleted)) {
    return Refused("cuptiActivityRegisterCallbacks", result);
  }
  if (const auto result = f.ActivityEnable(Kind::kConcurrentKernel)) {
    return Refused("cuptiActivityEnable", result);
  }
  for (const Kind kind : kDeviceKinds) {
    if (kind != Kind::kConcurrentKernel) (void)f.ActivityEnable(kind);
  }
  for (const Kind kind : kHostKinds) (void)f.ActivityEnable(kind);
  if (f.ActivityFlushPeriod != nullptr) (void)f.ActivityFlushPeriod(kFlushPeriodMs);
  return nullptr;
}

void RecordLosses() {
  Collector& k = g_kernels;
  size_t dropped = 0;
  if (k.library.functions.ActivityGetNumDroppedRecords(nullptr, 0, &dropped) == kSuccess) {
    k.library_lost.fetch_add(dropped, std::memory_order_relaxed);
  }
  RecordLoss(DeviceLoss::kLibrary, k.library_lost.exchange(0, std::memory_order_relaxed));
  RecordLoss(DeviceLoss::kNoBuffer, k.buffers.TakeGivenUp());
  RecordLoss(DeviceLoss::kIncomplete, k.unended.TakeOfWindow());
  RecordLoss(DeviceLoss::kNoPlace, k.unnamed);
  RecordLoss(DeviceLoss::kTaken, k.another_came ? 1 : 0);
  k.unnamed = 0;
}

}  // namespace

bool KernelsTaken() {
  return g_kernels.taken[0] != '\0';
}

const char* BeginKernels(KnownUsers known) {
  Collector& k = g_kernels;
  k.taken[0] = '\0';
  if (k.forked) return "CUPTI cannot be used in a process that was forked from one that used it";
  if (k.state.load(std::memory_order_relaxed) != State::kOn) DrainKernels(true);
  if (k.state.load(std::memory_order_relaxed) != State::kOff) return "it is on already";
  if (const char* reason = FindCupti(&k.library)) return reason;
  if (!StayAttached()) return "CUPTI is about to leave the process after the window before it";
  k.lost_name = WindowName(wire::kDeviceLostName);
  if (const char* user = OtherUser(k.library, known)) return Taken(user);
  k.known_users = known;
  k.another_came = false;
  if (!k.buffers.Map()) return "no memory for the buffers of CUPTI";
  if (!k.fork_handled) {
    k.fork_handled = pthread_atfork(nullptr, nullptr, OnForkInChild) == 0;
    if (!k.fork_handled) return "no memory to watch for forks";
  }
  if (k.converting.exchange(true, std::memory_order_acquire)) {
    return "CUPTI still hands over what the window before it saw";
  }
  k.buffers.DropFilled(NextRecord());  // what came after the window before had ended
  k.names.Reset(&k.library);
  k.contexts = k.last_drains = 0;
  if (CuptiHasLeft()) k.told_behind = k.highest_reported;
  k.times_left = TimesLeft();
  k.unended.Reset();
  k.converting.store(false, std::memory_order_release);
  k.clock_name = WindowName(wire::kDeviceClockName);
  k.bytes_name = WindowName(wire::kDeviceBytesName);
  k.clock = ReadClocks();
  if (k.clock.device_ns == 0) return NoClock();
  k.counted.store(0, std::memory_order_relaxed);
  if (const char* reason = Enable()) return reason;
  k.state.store(State::kOn, std::memory_order_relaxed);
  return nullptr;
}

void EndKernels() {
  Collector& k = g_kernels;
  if (k.state.load(std::memory_order_relaxed) != State::kOn) return;
  Disable(kHostKinds, sizeof kHostKinds / sizeof kHostKinds[0]);
  k.state.store(State::kEnding, std::memory_order_relaxed);
}

namespace {

// Once: after it CUPTI may be somebody else's.
void Release() {
  Collector& k = g_kernels;
  if (k.state.load(std::memory_order_relaxed) == State::kReleased) return;
  EndKernels();
  Disable(kDeviceKinds, sizeof kDeviceKinds / sizeof kDeviceKinds[0]);
  if (k.library.functions.ActivityFlushPeriod != nullptr) {
    (void)k.library.functions.ActivityFlushPeriod(0);
  }
  k.another_came = AnotherCame(k.library, k.known_users);
  if (k.another_came) RememberOtherUser();
  // A forced flush is one of all subscribers: it would take from another what has not ended.
  (void)k.library.functions.ActivityFlushAll(k.another_came ? 0 : cupti::kFlushForced);
  k.released_ns = t::MonotonicTicks();
  k.state.store(State::kReleased, std::memory_order_relaxed);
}

}  // namespace

bool DrainKernels(bool last) {
  Collector& k = g_kernels;
  if (k.state.load(std::memory_order_relaxed) == State::kOff) return true;
  if (last) {
    Release();
  } else {
    if (k.state.load(std::memory_order_relaxed) != State::kReleased) {
      (void)k.library.functions.ActivityFlushAll(0);
    }
    ConvertFilled();
    return false;
  }
  if (!ConvertFilled() && t::Recording() && ++k.last_drains < kMaxLastDrains) return false;
  if (k.buffers.AnyGiven() && t::MonotonicTicks() - k.released_ns < kLongestReturnNs) return false;
  if (k.converting.exchange(true, std::memory_order_acquire)) return false;
  k.buffers.DropFilled(NextRecord());
  RecordLosses();
  k.converting.store(false, std::memory_order_release);
  k.state.store(State::kOff, std::memory_order_relaxed);
  return true;
}

bool DeviceIsPastWindow() {
  Collector& k = g_kernels;
  if (k.converting.exchange(true, std::memory_order_acquire)) return false;
  const bool past = k.unended.IsPastWindow();
  k.converting.store(false, std::memory_order_release);
  return past;
}

const char* DetachKernels() {
  Collector& k = g_kernels;
  if (k.forked || k.state.load(std::memory_order_relaxed) != State::kOff) return "it is on";
  if (k.saw_graphs || k.names.saw_graph_call()) {
    return "CUDA graphs are replayed, which may fail once CUPTI has left";
  }
  return RequestDetach(k.library);
}

bool CuptiHasLeft() {
  return TimesLeft() != g_kernels.times_left;
}

void ResetKernelsForTesting() {
  Collector& k = g_kernels;
  k.saw_graphs = false;
  k.times_left = TimesLeft();
  k.told_behind = k.highest_reported = 0;
  k.names.ForgetGraphCall();
  ForgetOtherUsersForTesting();
}

uint64_t KernelCount() {
  return g_kernels.counted.load(std::memory_order_relaxed);
}

}  // namespace steptrace::probe
