// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "transport/writer/thread_ring.h"
#include "wire/record.h"

// What runs in the training at every range. No call, no lock, no shared line but the ring's own:
// one branch on the guard, one on everything unusual, 32 bytes stored, one release.
namespace steptrace::transport {

enum class Mode : uint32_t { kIdle, kRecording, kPaused, kForked, kDisarmed };
extern std::atomic<Mode> g_mode;
extern std::atomic<bool> g_tsc;  // set before the first ring is claimed, then constant
extern std::atomic<bool> g_hot;  // recording, by the TSC: what the hot path is for

uint64_t MonotonicTicks();

inline uint64_t ClockTicks() {
#if defined(__x86_64__)
  if (g_tsc.load(std::memory_order_relaxed)) return __rdtsc();
#endif
  return MonotonicTicks();
}

// The hot path's clock, where g_hot has been seen.
inline uint64_t HotTicks() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return MonotonicTicks();
#endif
}

// Stores a record at the head and publishes it. Pairs with the reader's acquire of head.
inline void Publish(ThreadRing* ring, uint64_t tsc, uint32_t name, uint32_t kind_word, uint64_t a,
                    uint64_t b) {
  const uint64_t head = ring->head;
  // Word by word: a record put together on the stack is waited for when it is copied from there.
  using Half [[gnu::may_alias]] = uint32_t;
  wire::Record* slot = &ring->records[head & ring->mask];
  slot->tsc = tsc;
  slot->name = name;
  *reinterpret_cast<Half*>(&slot->kind) = kind_word;
  slot->a = a;
  slot->b = b;
  ring->head = head + 1;
  std::atomic_ref<uint64_t>(ring->control->head).store(head + 1, std::memory_order_release);
}

// The unusual: no ring, a signal inside the probe, paused, full, grown, too deep, name 0, an open
// range that was not recorded, another clock than the TSC.
void BeginUnusual(uint32_t name, uint64_t a, uint64_t b);
void EndUnusual(uint64_t a, uint64_t b);
void EventUnusual(wire::RecordKind kind, uint32_t name, uint64_t a, uint64_t b);

inline bool Recording() {
  return g_mode.load(std::memory_order_relaxed) == Mode::kRecording;
}
#if defined(__SANITIZE_THREAD__)
inline bool Hot() {
  return g_hot.load(std::memory_order_relaxed);
}
#else
// The same, in one instruction: an atomic's address is put into a register first.
inline bool Hot() {
  return *reinterpret_cast<const volatile bool*>(&g_hot);
}
#endif
static_assert(sizeof(std::atomic<bool>) == 1);

// Takes and gives back the guard. A signal handler that comes in between sees it; the fences keep
// the compiler from moving a record's stores out of it.
inline void Enter(ThreadRing* ring, uint32_t depth) {
  ring->state = depth | ThreadRing::kBusy;
  std::atomic_signal_fence(std::memory_order_seq_cst);
}
inline void Leave(ThreadRing* ring, uint32_t depth) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  ring->state = depth;
}

// The calls of the unusual stand last, outside the guard: they become jumps, and the hot path saves
// no register for them.
[[gnu::always_inline]] inline void Begin(uint32_t name, uint64_t a = 0, uint64_t b = 0) {
  ThreadRing* ring = t_local.ring;
  const uint32_t depth = ring->state;
  if (__builtin_expect(depth < wire::kMaxDepth, 1)) {  // not busy either
    Enter(ring, depth);
    // Room for this record, for its end and for the ends that are owed.
    const bool room = ring->head + depth + 2 <= ring->limit;
    if (__builtin_expect(room, 1) && __builtin_expect(name != 0, 1) && __builtin_expect(Hot(), 1)) {
      ring->names[depth] = name;
      Publish(ring, HotTicks(), name, wire::KindWord(wire::RecordKind::kBegin, depth), a, b);
      Leave(ring, depth + 1);
      return;
    }
    Leave(ring, depth);
  }
  BeginUnusual(name, a, b);
}

[[gnu::always_inline]] inline void End(uint64_t a = 0, uint64_t b = 0) {
  ThreadRing* ring = t_local.ring;
  const uint32_t depth = ring->state - 1;              // after it
  if (__builtin_expect(depth < wire::kMaxDepth, 1)) {  // something is open, and not busy
    Enter(ring, depth + 1);
    if (__builtin_expect(ring->head < ring->limit, 1) && __builtin_expect(Hot(), 1)) {
      // First thing, but inside the guard: a handler's records must not come before an earlier
      // time.
      const uint64_t tsc = HotTicks();
      Publish(ring, tsc, ring->names[depth], wire::KindWord(wire::RecordKind::kEnd, depth), a, b);
      Leave(ring, depth);
      return;
    }
    Leave(ring, depth + 1);
  }
  EndUnusual(a, b);
}

[[gnu::always_inline]] inline void Event(wire::RecordKind kind, uint32_t name, uint64_t a,
                                         uint64_t b) {
  ThreadRing* ring = t_local.ring;
  const uint32_t depth = ring->state;
  if (__builtin_expect(depth <= wire::kMaxDepth, 1)) {  // not busy either
    Enter(ring, depth);
    const bool room = ring->head + depth + 1 <= ring->limit;
    if (__builtin_expect(room, 1) && __builtin_expect(name != 0, 1) && __builtin_expect(Hot(), 1)) {
      Publish(ring, HotTicks(), name, wire::KindWord(kind, 0), a, b);
      Leave(ring, depth);
      return;
    }
    Leave(ring, depth);
  }
  EventUnusual(kind, name, a, b);
}

inline void Instant(uint32_t name, uint64_t a, uint64_t b) {
  Event(wire::RecordKind::kInstant, name, a, b);
}

inline void Counter(uint32_t name, double value) {
  Event(wire::RecordKind::kCounter, name, __builtin_bit_cast(uint64_t, value), 0);
}

}  // namespace steptrace::transport
