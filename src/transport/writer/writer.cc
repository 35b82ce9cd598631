// SPDX-License-Identifier: Apache-2.0
#include "transport/writer/writer.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "transport/writer/keep_errno.h"
#include "transport/writer/libc_floor.h"
#include "transport/writer/process_facts.h"
#include "transport/writer/process_state.h"
#include "transport/writer/thread_cpu.h"
#include "wire/opening_loss.h"
#include "wire/stack_control.h"
#include "wire/vocabulary.h"

namespace steptrace::transport {

namespace {
constexpr ThreadRing NoRing() {
  ThreadRing ring;
  ring.state = ThreadRing::kBusy;
  return ring;
}
}  // namespace

constinit ThreadRing g_no_ring = NoRing();
constinit thread_local ThreadLocal t_local;
constinit std::atomic<Mode> g_mode{Mode::kIdle};
constinit std::atomic<bool> g_tsc{false};
constinit std::atomic<bool> g_hot{false};
constinit ProcessState g_process;

namespace {

// How the lock is tried: at once, then with the core yielded, then with a sleep in between.
constexpr int kBusyTries = 100;
constexpr int kYieldTries = 200;
constexpr long kSleepNs = 100'000;

// The value of exit_key where there is no ring to end, but losses to hand in.
void* const kNoRingToEnd = &g_no_ring;

void SetMode(Mode mode) {
  g_mode.store(mode, std::memory_order_release);
  g_hot.store(mode == Mode::kRecording && g_tsc.load(std::memory_order_relaxed),
              std::memory_order_relaxed);
}
Mode GetMode() {
  return g_mode.load(std::memory_order_acquire);
}

void OnThreadExit(void*) {
  ThreadLocal& local = t_local;
  ThreadRing* ring = local.ring;
  local.exiting = true;
  local.ring = &g_no_ring;
  const Mode mode = GetMode();
  if (mode == Mode::kIdle || mode == Mode::kForked || g_process.file.base() == nullptr) return;
  if (local.unrecorded > 0) FlushUnrecorded();
  if (ring == &g_no_ring) return;
  CloseCpu(ring);
  // Pairs with the claim of a later thread and with the reader.
  std::atomic_ref<uint32_t>(ring->control->state)
      .store(static_cast<uint32_t>(wire::RingState::kEnded), std::memory_order_release);
}

// In the child of a fork: one thread, and locks that no one will release. The file is the
// parent's, so nothing is written; the child's own is made when it has something to say.
void OnForkChild() {
  g_process.lock.ResetAfterFork();
  t_local = ThreadLocal{};
  g_process.opening.store(false, std::memory_order_relaxed);
  g_process.lost_in_opening.store(0, std::memory_order_relaxed);  // the parent's
  const Mode mode = GetMode();
  if (mode != Mode::kRecording && mode != Mode::kPaused) return;
  for (uint32_t i = 0; i < g_process.rings_touched; ++i) CloseCpu(&g_process.rings[i]);
  SetMode(Mode::kForked);
}

bool InstallHandlers() {
  if (g_process.handlers_installed) return true;
  if (pthread_key_create(&g_process.exit_key, OnThreadExit) != 0) return false;
  g_process.handlers_installed = pthread_atfork(nullptr, nullptr, OnForkChild) == 0;
  return g_process.handlers_installed;
}

void FillHeader(wire::FileHeader* header, uint64_t start_time_ticks, uint32_t ring_count) {
  header->magic = wire::kMagic;
  header->version = wire::kVersion;
  header->file_bytes = wire::RingOffset(ring_count);
  header->ring_count = ring_count;
  header->clock_source =
      static_cast<uint32_t>(g_tsc.load(std::memory_order_relaxed) ? wire::ClockSource::kInvariantTsc
                                                                  : wire::ClockSource::kMonotonic);
  header->pid = getpid();
  header->ppid = getppid();
  header->pid_namespace = PidNamespace();
  header->start_time_ticks = start_time_ticks;
  header->rank = RankFromEnvironment();
  header->local_rank = LocalRankFromEnvironment();
  header->world_size = WorldSizeFromEnvironment();
  header->attach_clock = ClockTicks();
  header->attach_monotonic_ns = MonotonicTicks();
  ReadComm(header->comm);
}

void LeaveReason(wire::FileHeader* header, const char* reason) {
  const size_t bytes = strnlen(reason, sizeof header->disarm_reason - 1);
  memcpy(header->disarm_reason, reason, bytes);
  // Pairs with the reader's acquire of disarmed.
  std::atomic_ref<uint32_t>(header->disarmed).store(1, std::memory_order_release);
}

// Makes and publishes a file for this process. `parent`: whose arena to take over, or null.
const char* OpenFile(const uint8_t* parent) {
  const char* dir = getenv("STEPTRACE_RING_DIR");
  if (dir == nullptr || dir[0] == 0) return "STEPTRACE_RING_DIR is not set";
  const uint64_t start_time_ticks = StartTimeTicks();
  if (start_time_ticks == 0) return "/proc/self/stat cannot be read";
  const uint32_t ring_count = wire::RingsWithin(BudgetFromEnvironment());
  RingFile file;
  const char* failure = file.Create(dir, start_time_ticks, wire::RingOffset(ring_count));
  if (failure != nullptr) return failure;
  g_tsc.store(HasInvariantTsc(), std::memory_order_relaxed);
  auto* header = reinterpret_cast<wire::FileHeader*>(file.base());
  FillHeader(header, start_time_ticks, ring_count);
  g_process.file = file;
  if (parent == nullptr) {
    g_process.names.Reset(&g_process.file);
  } else if (!g_process.names.MoveTo(&g_process.file, parent)) {
    failure = "no memory for the names of the parent";
    LeaveReason(header, failure);
  }
  g_process.ring_count = ring_count;
  LetAgentRead();
  g_process.capture_seen.store(0, std::memory_order_relaxed);  // of the file before
  // Pairs with the reader's acquire of ready.
  std::atomic_ref<uint32_t>(header->ready).store(1, std::memory_order_release);
  return failure;
}

// A claim by state alone: free, or ended and drained.
bool TryClaim(wire::RingControl* control) {
  std::atomic_ref<uint32_t> state(control->state);
  uint32_t seen = state.load(std::memory_order_acquire);  // pairs with OnThreadExit()
  if (seen == static_cast<uint32_t>(wire::RingState::kActive)) return false;
  if (seen == static_cast<uint32_t>(wire::RingState::kEnded)) {
    const uint64_t tail = std::atomic_ref<uint64_t>(control->tail).load(std::memory_order_acquire);
    const bool whole =
        std::atomic_ref<uint64_t>(control->tail_check).load(std::memory_order_acquire) == ~tail;
    const uint64_t head = std::atomic_ref<uint64_t>(control->head).load(std::memory_order_relaxed);
    if (head != 0 && (!whole || tail != head)) return false;
  }
  return state.compare_exchange_strong(seen, static_cast<uint32_t>(wire::RingState::kActive),
                                       std::memory_order_acq_rel);
}

// The private half of a ring just claimed. False: the system has no memory for it.
bool PrepareRing(uint32_t index) {
  wire::RingControl* control = g_process.control(index);
  ThreadRing& ring = g_process.rings[index];
  ring = ThreadRing{};
  ring.index = index;
  ring.control = control;
  ring.mask = wire::RingCapacity(index) - 1;
  ring.records = reinterpret_cast<wire::Record*>(g_process.file.base() + wire::RingOffset(index));
  ring.head = ring.tail = ring.limit = control->head;
  ring.usable = control->usable;
  if (ring.usable == 0 && !MakeRoom(&ring, 1)) return false;
  std::atomic_ref<int32_t>(control->tid).store(ThreadId(), std::memory_order_relaxed);
  std::atomic_ref<uint32_t> generation(control->generation);
  generation.store(generation.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return true;
}

void NoteRingUsed(uint32_t index) {
  std::atomic_ref<uint32_t> used(g_process.header()->rings_used);
  for (std::atomic_ref<uint32_t> mark : {used, std::atomic_ref(g_process.rings_touched)}) {
    uint32_t seen = mark.load(std::memory_order_relaxed);
    while (seen <= index &&
           !mark.compare_exchange_weak(seen, index + 1, std::memory_order_release)) {
    }
  }
}

// One of the rings from `first` on, before `end`; null: none is to be had. The system may have no
// memory for the one that is: then no other is tried.
ThreadRing* ClaimOf(uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end && i < g_process.ring_count && !t_local.no_space; ++i) {
    if (!TryClaim(g_process.control(i))) continue;
    NoteRingUsed(i);
    if (PrepareRing(i)) return &g_process.rings[i];
    std::atomic_ref<uint32_t>(g_process.control(i)->state)
        .store(static_cast<uint32_t>(wire::RingState::kFree), std::memory_order_release);
    t_local.no_space = true;
  }
  return nullptr;
}

// Ring 0 is the main thread's, for that one trains; of any other's the first that is to be had, of
// the size that it wants if there is one.
ThreadRing* ClaimAny() {
  constexpr uint32_t kLarge = wire::kLargeRings;
  t_local.no_space = false;
  if (ThreadId() == getpid()) return ClaimOf(0, 1);
  ThreadRing* ring = t_local.wants_large ? ClaimOf(1, kLarge) : ClaimOf(kLarge, wire::kMaxRings);
  if (ring != nullptr) return ring;
  // Of the other size one may have its memory from before.
  const bool no_space = t_local.no_space;
  t_local.no_space = false;
  ring = t_local.wants_large ? ClaimOf(kLarge, wire::kMaxRings) : ClaimOf(1, kLarge);
  t_local.no_space = ring == nullptr && (no_space || t_local.no_space);
  return ring;
}

}  // namespace

bool BoundedLock::Acquire(uint64_t longest_wait_ns) {
  const KeepErrno keep;
  uint64_t end_ns = 0;
  for (int i = 0;; ++i) {
    const void* holder = nullptr;
    // Pairs with Release().
    if (holder_.compare_exchange_weak(holder, &t_local, std::memory_order_acquire)) return true;
    if (holder == &t_local) return false;
    if (i < kBusyTries) continue;
    const uint64_t now_ns = MonotonicTicks();
    if (end_ns == 0) end_ns = now_ns + longest_wait_ns;
    if (now_ns >= end_ns) return false;
    const timespec pause{0, kSleepNs};
    i < kBusyTries + kYieldTries ? sched_yield() : nanosleep(&pause, nullptr);
  }
}

ThreadRing* ClaimRing() {
  ThreadLocal& local = t_local;
  if (local.acquiring || local.exiting) return nullptr;
  local.acquiring = true;  // a signal handler that comes in between goes without
  ThreadRing* ring = ClaimAny();
  pthread_setspecific(g_process.exit_key, ring == nullptr ? kNoRingToEnd : ring);
  if (ring != nullptr) local.ring = ring;
  local.acquiring = false;
  return ring;
}

void RequestLargeRing() {
  t_local.wants_large = true;
}

void CountWhileOpening(uint64_t records) {
  if (!g_process.opening.load(std::memory_order_relaxed)) return;
  g_process.lost_in_opening.fetch_add(records, std::memory_order_relaxed);
}

void HandInOpeningLosses() {
  if (g_process.lost_in_opening.load(std::memory_order_relaxed) == 0) return;
  auto* counter = reinterpret_cast<uint64_t*>(g_process.file.base() + wire::kOpeningLossOffset);
  CountLoss(*counter, g_process.lost_in_opening.exchange(0, std::memory_order_relaxed));
}

bool EnsureOwnFile() {
  if (GetMode() != Mode::kForked) return true;
  const KeepErrno keep;
  if (!g_process.lock.Acquire()) return false;
  if (GetMode() == Mode::kForked) {
    g_process.opening.store(true, std::memory_order_relaxed);
    RingFile parent = g_process.file;
    const char* failure = OpenFile(parent.base());
    // Without a file of its own the child has none: its parent's is let go in any case.
    if (g_process.file.base() == parent.base()) g_process.file = RingFile();
    SetMode(failure != nullptr       ? Mode::kDisarmed
            : g_process.pause_wanted ? Mode::kPaused
                                     : Mode::kRecording);
    parent.Unmap();
    g_process.opening.store(false, std::memory_order_relaxed);
  }
  g_process.lock.Release();
  return GetMode() != Mode::kDisarmed;
}

bool Attach() {
  if (GetMode() != Mode::kIdle) return EnsureOwnFile() && Attached();
  if (getenv("STEPTRACE_RING_DIR") == nullptr) return false;
  // Another thread is at it, and records are taken as soon as it is done.
  if (!g_process.lock.Acquire()) return true;
  const KeepErrno keep;
  if (GetMode() == Mode::kIdle) {
    g_process.opening.store(true, std::memory_order_relaxed);
    const bool opened = InstallHandlers() && OpenFile(nullptr) == nullptr;
    SetMode(!opened ? Mode::kDisarmed : g_process.pause_wanted ? Mode::kPaused : Mode::kRecording);
    g_process.opening.store(false, std::memory_order_relaxed);
  }
  g_process.lock.Release();
  return Attached();
}

bool Attached() {
  const Mode mode = GetMode();
  return mode != Mode::kIdle && mode != Mode::kDisarmed;
}

void Disarm(const char* reason) {
  if (!Attached() || !EnsureOwnFile() || !g_process.lock.Acquire()) return;
  if (Attached()) {
    SetMode(Mode::kDisarmed);
    LeaveReason(g_process.header(), reason);
  }
  g_process.lock.Release();
}

void Pause(bool on) {
  g_process.pause_wanted = on;
  const Mode mode = GetMode();
  if (mode == (on ? Mode::kRecording : Mode::kPaused) && g_process.lock.Acquire()) {
    if (GetMode() == mode) SetMode(on ? Mode::kPaused : Mode::kRecording);
    g_process.lock.Release();
  }
}

uint64_t MonotonicTicks() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

namespace {

// Cuts at a border between UTF-8 characters.
size_t CutName(const char* text, size_t bytes) {
  if (bytes <= wire::kMaxNameBytes) return bytes;
  size_t end = wire::kMaxNameBytes;
  while (end > 0 && (static_cast<uint8_t>(text[end]) & 0xC0) == 0x80) --end;
  return end == 0 ? wire::kMaxNameBytes : end;
}

}  // namespace

uint32_t Name(const char* text, size_t bytes, uint16_t category) {
  if (!Attached() || !EnsureOwnFile()) return 0;
  const bool fact = category == static_cast<uint16_t>(wire::Category::kFact);
  if (!fact && bytes == 0) {
    text = wire::kNoName;
    bytes = sizeof wire::kNoName - 1;
  }
  if (!fact) bytes = CutName(text, bytes);
  uint32_t id = 0;
  const bool lacked_memory = g_process.names.lacks_memory();
  if (bytes > 0 && bytes <= wire::kMaxFactBytes && category != 0) {
    const auto length = static_cast<uint32_t>(bytes);
    id = g_process.names.Find(text, length, category);
    if (id != 0) return id;
    const KeepErrno keep;
    if (!g_process.names.IsFull(length) && g_process.lock.Acquire()) {
      id = g_process.names.Append(text, length, category);
      g_process.lock.Release();
    }
  }
  if (id == 0) {
    wire::FileHeader* header = g_process.header();
    const bool no_memory = lacked_memory || g_process.names.lacks_memory();
    CountLoss(no_memory ? header->dropped_no_space : header->dropped_names, 1);
  }
  return id;
}

void Fact(const char* kind, size_t kind_bytes, const char* json, size_t json_bytes) {
  constexpr auto kCategory = static_cast<uint16_t>(wire::Category::kFact);
  const uint32_t name = Name(kind, kind_bytes, kCategory);
  const uint32_t text = Name(json, json_bytes, kCategory);
  if (name != 0 && text != 0) Event(wire::RecordKind::kPayload, name, text, 0);
}

void BeginCpu(uint32_t name) {
  BeginCpu(name, 0, 0);
}

void BeginCpu(uint32_t name, uint64_t a, uint64_t b) {
  Begin(name, a, b);
  ThreadRing* ring = t_local.ring;
  if (ring->busy() || ring->cpu_marks_used == kMaxCpuMarks || ring->odd) return;
  const KeepErrno keep;
  CpuMark mark = ReadCpu(ring);
  mark.depth = ring->depth();
  ring->cpu_marks[ring->cpu_marks_used++] = mark;
}

void EndCpu() {
  ThreadRing* ring = t_local.ring;
  // Marks of ranges that were never ended, an exception having passed, are dropped here.
  while (!ring->busy() && ring->cpu_marks_used > 0 &&
         ring->cpu_marks[ring->cpu_marks_used - 1].depth > ring->depth()) {
    ring->cpu_marks_used -= 1;
  }
  if (ring->busy() || ring->cpu_marks_used == 0 ||
      ring->cpu_marks[ring->cpu_marks_used - 1].depth != ring->depth()) {
    return End();
  }
  const CpuMark before = ring->cpu_marks[--ring->cpu_marks_used];
  const KeepErrno keep;
  const CpuMark now = ReadCpu(ring);
  const bool waits_known = before.known && now.known && now.run_queue_ns >= before.run_queue_ns;
  End(now.cpu_ns - before.cpu_ns, waits_known ? now.run_queue_ns - before.run_queue_ns : 0);
}

namespace {

bool HasFile() {
  const Mode mode = GetMode();
  return mode != Mode::kIdle && mode != Mode::kForked && g_process.file.base() != nullptr;
}

wire::CaptureControl* Capture() {
  return reinterpret_cast<wire::CaptureControl*>(g_process.file.base() + wire::kCaptureOffset);
}

}  // namespace

bool CaptureChanged() {
  if (!Recording() || g_process.file.base() == nullptr) return false;
  return std::atomic_ref<uint64_t>(Capture()->request).load(std::memory_order_relaxed) !=
         g_process.capture_seen.load(std::memory_order_relaxed);
}

bool TakeCapture(wire::CaptureControl* out) {
  if (!HasFile()) return false;
  uint64_t words[sizeof(wire::CaptureControl) / sizeof(uint64_t)];
  auto* shared = reinterpret_cast<uint64_t*>(Capture());
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
    words[i] = std::atomic_ref<uint64_t>(shared[i]).load(std::memory_order_relaxed);
  }
  memcpy(out, words, sizeof words);
  const bool whole = out->check == wire::CaptureCheck(*out);
  if (whole || out->request == 0) {
    g_process.capture_seen.store(out->request, std::memory_order_relaxed);
  }
  return whole && wire::IsSound(*out);
}

void WakeReader() {
  if (!Recording() || g_process.file.base() == nullptr) return;
  const KeepErrno keep;
  g_process.file.Touch();
}

uint64_t StackPeriodNs() {
  if (!Recording() || g_process.file.base() == nullptr) return 0;
  auto* shared = reinterpret_cast<uint64_t*>(g_process.file.base() + wire::kStackControlOffset);
  const uint64_t period = std::atomic_ref<uint64_t>(shared[0]).load(std::memory_order_relaxed);
  if (period == 0) return 0;
  return wire::StackPeriod(
      {period, std::atomic_ref<uint64_t>(shared[1]).load(std::memory_order_relaxed)});
}

Stats GetStats() {
  Stats stats{};
  const Mode mode = GetMode();
  if (mode == Mode::kIdle || mode == Mode::kForked || g_process.file.base() == nullptr)
    return stats;
  wire::FileHeader* header = g_process.header();
  const auto load = [](uint64_t& counter) {
    return std::atomic_ref<uint64_t>(counter).load(std::memory_order_relaxed);
  };
  for (uint32_t i = 0; i < g_process.ring_count; ++i) {
    wire::RingControl* control = g_process.control(i);
    stats.records += load(control->head);
    stats.dropped_full += load(control->dropped_full);
    const uint32_t state = std::atomic_ref<uint32_t>(control->state).load();
    stats.threads += state == static_cast<uint32_t>(wire::RingState::kActive) ? 1 : 0;
  }
  stats.dropped_names = load(header->dropped_names);
  stats.dropped_budget = load(header->dropped_budget);
  stats.dropped_no_space = load(header->dropped_no_space);
  stats.dropped_nested = load(header->dropped_nested);
  stats.names = g_process.names.count();
  stats.name_bytes = g_process.names.used_bytes();
  stats.file_bytes = g_process.file.bytes();
  return stats;
}

void DetachForTesting() {
  SetMode(Mode::kIdle);
  t_local = ThreadLocal{};
  g_process.pause_wanted = false;
  g_process.file.Unmap();
}

}  // namespace steptrace::transport
