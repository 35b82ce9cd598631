// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "transport/writer/name_arena.h"
#include "transport/writer/ring_file.h"
#include "transport/writer/thread_ring.h"

namespace steptrace::transport {

// A lock that is not waited for beyond a bound: a thread that does not get it gives up and counts a
// loss. A signal handler above the holder gives up at once.
class BoundedLock {
 public:
  // What is held for is done in microseconds; only a holder that the system has taken off its core,
  // one of many that are busy, is waited for any longer.
  static constexpr uint64_t kLongestWaitNs = 100'000'000;

  bool Acquire(uint64_t longest_wait_ns = kLongestWaitNs);
  void Release() { holder_.store(nullptr, std::memory_order_release); }  // pairs with Acquire()
  void ResetAfterFork() { holder_.store(nullptr, std::memory_order_relaxed); }

 private:
  std::atomic<const void*> holder_{nullptr};  // its t_local, for a thread has but one
};

// Everything that the probe keeps in a process, in static memory: untouched pages cost nothing.
struct ProcessState {
  BoundedLock lock;  // attach, disarm, insertion of names
  RingFile file;
  NameArena names;
  uint32_t ring_count = 0;
  std::atomic<uint64_t> capture_seen{0};  // the last request that was taken
  uint32_t rings_touched = 0;  // of `rings`, those below were used at some time, in a parent too
  std::atomic<bool> pause_wanted{false};
  std::atomic<bool> opening{false};          // a thread makes the file
  std::atomic<uint64_t> lost_in_opening{0};  // records of others meanwhile, not yet in the file
  bool handlers_installed = false;
  pthread_key_t exit_key = 0;
  ThreadRing rings[wire::kMaxRings]{};

  wire::FileHeader* header() { return reinterpret_cast<wire::FileHeader*>(file.base()); }
  wire::RingControl* control(uint32_t ring) {
    return reinterpret_cast<wire::RingControl*>(file.base() + wire::kControlOffset) + ring;
  }
};
extern ProcessState g_process;

// Adds to a counter of loss in the shared header. The caller knows that a file is mapped.
inline void CountLoss(uint64_t& counter, uint64_t count) {
  std::atomic_ref<uint64_t>(counter).fetch_add(count, std::memory_order_relaxed);
}

// A ring for this thread, which has none; null: none to be had, which is counted by the caller.
ThreadRing* ClaimRing();

// Opens a forked child's own file if that is still to be done. False: not recording any more.
bool EnsureOwnFile();

// Makes room for `need` records at the head: looks at the tail, commits memory, turns to the next
// lap. False: the ring is full.
bool MakeRoom(ThreadRing* ring, uint64_t need);

// Counts records that are lost while another thread makes the file, and writes the counts into it
// once it is there. Without such a thread they do nothing.
void CountWhileOpening(uint64_t records);
void HandInOpeningLosses();

// Adds this thread's losses to the counter that fits why it has no ring.
void FlushUnrecorded();

}  // namespace steptrace::transport
