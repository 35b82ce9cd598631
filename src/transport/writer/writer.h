// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/writer/hot_path.h"
#include "wire/ring_layout.h"

// The writing half of the transport: what the probe calls. libc alone; no exceptions, no allocation
// but by mmap, no output, and no failure that the host could notice: what cannot be recorded is
// counted. Any thread may call anything; a signal handler too (it may find its record dropped).
// errno is left as it was.
//
//            Attach()              fork (in the child)
//   idle ───────────────► recording ──────────────► forked
//                         │ ▲   │ ▲                  │ first record, name or Attach()
//                 Pause() ▼ │   │ └──────────────────┘
//                        paused └──► disarmed (for good: Disarm(), or no file for a child)
namespace steptrace::transport {

// Opens this process's ring file in $STEPTRACE_RING_DIR. True: records are taken from now on, or
// were already, or will be when another thread, which is opening it, is done. Without the variable
// nothing is touched and a later call may succeed.
bool Attach();

// Recording, paused, or about to be in a forked child.
bool Attached();

// Ends recording for good in this process; the reason (cut to 147 bytes) is left for the agent.
void Disarm(const char* reason);

// The id of a name; the same text and category give the same id. 0: not attached, arena full.
uint32_t Name(const char* text, size_t bytes, uint16_t category);

// Leaves a JSON text of a kind (wire/vocabulary.h, kFact), also while paused.
void Fact(const char* kind, size_t kind_bytes, const char* json, size_t json_bytes);

// While paused, begins, instants and counters record nothing; ends close what was begun before.
void Pause(bool on);

// Begin, and End with a = this thread's CPU ns and b = its run-queue wait in ns since then.
void BeginCpu(uint32_t name);
void BeginCpu(uint32_t name, uint64_t a, uint64_t b);
void EndCpu();

// A record of kActivity: `tsc` is given, not read (wire/record.h). False: it was not recorded,
// which is counted as with any record.
bool Activity(uint64_t tsc, uint32_t name, uint64_t a, uint64_t b);
// Requests a large ring for this thread, which records more than others: if it has none yet and
// one is free.
void RequestLargeRing();
// Whether this thread's ring, claimed if need be, has room for so many records beside what it owes.
// False while nothing is recorded. Counts no loss.
bool HasRoom(uint32_t records);
// The same of as many as a ring may never hold at once: three quarters of it do, for it is read
// meanwhile. True where it is unknown: inside a record, and without a ring.
bool HasRoomForMany(uint64_t records);
// Records of this thread's ring that had no room, of all its threads.
uint64_t RecordsWithoutRoom();
// Stores records that carry their own times (kComplete, and kDetail before it), which neither begin
// nor end a range. False: none of them was stored, or the ring was full, which is counted.
bool WriteReady(const wire::Record* records, uint32_t count);

// Whether the agent's word (wire::CaptureControl) is another than the last one taken: some loads.
bool CaptureChanged();
// Takes it. False: there is none, or the copy was torn (then CaptureChanged() stays true), or it is
// not sound (then it is passed over).
bool TakeCapture(wire::CaptureControl* out);

// Much is about to be recorded: wakes the reader, which may rest for 32 ms between two drains. One
// system call; where nobody watches the folder, or it is gone, nothing happens.
void WakeReader();

// How often the process is to sample its own stacks (wire::StackControl), in ns; 0: it is not.
uint64_t StackPeriodNs();

// Something of this thread is left out on purpose: its next record says that there is a gap.
void MarkGap();

struct Stats {
  uint64_t records, dropped_full, dropped_names, dropped_budget, dropped_no_space, dropped_nested;
  uint64_t threads, names, name_bytes, file_bytes;
};
// All zero when not attached.
Stats GetStats();

// Forgets the file (which stays where it is) so that a test can attach again. Single-threaded.
void DetachForTesting();

}  // namespace steptrace::transport
