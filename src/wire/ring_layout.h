// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "wire/record.h"

// The ring file: one per process, written by the training, drained by the agent.
//
//   <ring dir>/<pid>.<starttime>[.<n>].ring      n = 1, 2, … when the name is taken: after an exec
//   in
//                                                place the old image's file may still hold records
//   <ring dir>/<pid>.<starttime>.no_space        empty: this process found no room for a ring file
//
//   0        ┌─────────────────────────────┐
//            │ FileHeader                  │  identity, arena's mark, counters of loss     4 KiB
//   1 KiB    │ CaptureControl, StackControl│  the agent's words: captures, the process's own stacks
//   4 KiB    ├─────────────────────────────┤
//            │ RingControl [kMaxRings]     │  head, tail, owner of each ring              32 KiB
//   64 KiB   ├─────────────────────────────┤
//            │ arena of names              │  append-only, committed by 64 KiB             4 MiB
//   4160 KiB ├─────────────────────────────┤
//            │ ring 0                      │  main thread: 2^16 records, by 128 KiB        2 MiB
//   6208 KiB ├─────────────────────────────┤
//            │ ring 1 … 3                  │  threads that tell much: 2^16 each            2 MiB
//   12352 KiB├─────────────────────────────┤
//            │ ring 4 … ring_count-1       │  other threads: 2^12 records each           128 KiB
//            └─────────────────────────────┘
//
// Offsets are a function of the version alone: a reader needs to believe no offset. The file is
// sparse. The writer touches a page only after the system has promised it (fallocate or
// MADV_POPULATE_WRITE), for the first touch of a page that a full /dev/shm cannot give would kill
// the host by SIGBUS. Nobody ever shortens the file; the agent unlinks it when the process is gone.
//
// Roles
//   producer   the thread that owns a ring: writes its records and the first line of its control
//   process    any thread of the writing process: header, arena (one at a time, under a private
//              lock)
//   reader     one agent: writes the second line of each control and its two words, nothing else
//
// Life of a ring                             Life of one record
//
//          claim (producer, CAS)               producer: free slot? ── no ──► dropped_full += 1
//   free ───────────────────────► active                 │ yes
//                                 │    ▲       producer: store 32 bytes
//       thread exits (producer,   │    │       producer: head = p + 1, release ─┐ pairs with
//       release)                  ▼    │       reader:   head, acquire ◄────────┘
//                               ended ─┘       reader:   copy, check, use
//          claim when tail == head (CAS)       reader:   tail = p + 1, release ─┐ pairs with
//          by a later thread; generation + 1   producer: tail, acquire ◄────────┘
//
// A begin is taken only when there is room for its end as well, and the end of a range whose begin
// was dropped is dropped with it: what a ring holds is well nested whatever was lost.
//
// Positions count records since the file was made and never wrap: slot = position mod capacity. Of
// a ring's slots only the first `usable` are committed. While the first lap grows them, and if the
// system gives no more for ever after, a producer that reaches slot `usable` goes on at slot 0 of
// the next lap; the reader does the same.
//
// The reader works by pread and pwrite, so that no damage to the file can kill it. A copy by the
// system may tear an 8-byte word: therefore the tail carries its complement, which the producer
// checks, and the reader takes the lesser of two readings of a head, which only grows.
//
// Requests of the agent. Neither side waits for the other.
//
//   agent: CaptureControl whole, one pwrite ──► process, at the end of each optimizer step: reads
//   `request`; another number than before ──► copies the whole, verifies `check`; a copy that is
//   torn is read again at the next step. What it does about it is reported by records of category
//   kWindow (vocabulary.h). An impossible request is answered but not carried out.
//
// In a forked child the file is its parent's: it must not be written. The child makes its own at
// its first record, with the parent's names under the same ids.
namespace steptrace::wire {

inline constexpr uint64_t kMagic = 0x31474E4952505453;  // "STPRING1" as bytes
// 2: CaptureControl, categories from 8 on. 3: windows that follow in CaptureControl. 4: its
// duration, and the first step in window_begin. 5: large rings beside the main thread's. 6: enough
// operators in CaptureControl, what lies behind it 16 bytes further. A process and its agent are
// always of one build, so that there is nothing to convert: another version is not read.
inline constexpr uint32_t kVersion = 6;

// Thread-owned rings of one file at most: the control of all fits one read of 32 KiB.
inline constexpr uint32_t kMaxRings = 256;
// 2^16 records outlast a reader that polls every 32 ms at 1 M pairs/s; 2^12 one that polls every
// 10 ms at 400 k records/s, and 100 such threads stay below 16 MiB.
inline constexpr uint32_t kLargeRingRecords = 1u << 16;
inline constexpr uint32_t kThreadRingRecords = 1u << 12;
// The main thread's, and those of CUPTI's thread, which hands over 50 ms of all devices at once, of
// autograd's, which runs all of a backward on a device, and of NCCL's proxy.
inline constexpr uint32_t kLargeRings = 4;
// Rings are committed by this many records (128 KiB), so that a worker that says little stays
// small.
inline constexpr uint32_t kCommitRecords = 1u << 12;

inline constexpr uint64_t kHeaderBytes = 4096;
inline constexpr uint64_t kControlOffset = kHeaderBytes;
inline constexpr uint64_t kArenaOffset = 64 << 10;
// 10^5 names of 30 bytes with their entries.
inline constexpr uint64_t kArenaBytes = 4 << 20;
inline constexpr uint64_t kArenaCommitBytes = 64 << 10;
// The last of the arena is not for the user's names: a script that makes up names without end
// must not keep the hooks from leaving their facts.
inline constexpr uint64_t kArenaHookReserveBytes = 256 << 10;
inline constexpr uint64_t kRingsOffset = kArenaOffset + kArenaBytes;

// What stands for an empty name: the arena has no entries without text.
inline constexpr char kNoName[] = "(no name)";
// Longer names are cut at a character's border; longer facts are refused, for half a JSON is none.
inline constexpr uint32_t kMaxNameBytes = 4096;
inline constexpr uint32_t kMaxFactBytes = 64 << 10;

// The whole file of a process unless STEPTRACE_RING_BUDGET_BYTES says otherwise: room for 80
// threads. What is not written to takes no memory.
inline constexpr uint64_t kDefaultBudgetBytes = 22 << 20;

constexpr uint32_t RingCapacity(uint32_t ring) {
  return ring < kLargeRings ? kLargeRingRecords : kThreadRingRecords;
}

// Where ring `ring` begins; for ring_count this is the size of the file.
constexpr uint64_t RingOffset(uint32_t ring) {
  const uint64_t large = ring < kLargeRings ? ring : kLargeRings;
  return kRingsOffset + (large * kLargeRingRecords + (ring - large) * kThreadRingRecords) *
                            uint64_t{sizeof(Record)};
}

// Rings that fit a budget; at least the main thread's.
constexpr uint32_t RingsWithin(uint64_t budget_bytes) {
  uint32_t rings = 1;
  while (rings < kMaxRings && RingOffset(rings + 1) <= budget_bytes) ++rings;
  return rings;
}

// Stored: values are fixed for ever and never reused.
enum class ClockSource : uint32_t {
  kMonotonic = 1,     // CLOCK_MONOTONIC in ns
  kInvariantTsc = 2,  // the x86 counter, said to be invariant by CPUID 0x80000007
};

// Stored: values are fixed for ever and never reused.
enum class RingState : uint32_t { kFree = 0, kActive = 1, kEnded = 2 };

struct FileHeader {
  uint64_t magic;
  uint32_t version;
  uint32_t ready;  // 1, release: every field up to `disarmed` stands and will not change
  uint64_t file_bytes;
  uint32_t ring_count;
  uint32_t clock_source;
  int32_t pid;
  int32_t ppid;
  uint64_t start_time_ticks;  // field 22 of /proc/self/stat: with pid it names a process for good
  int32_t rank;               // -1: the environment did not say
  int32_t local_rank;
  int32_t world_size;
  uint32_t inherited_names;      // of the arena's entries these many came from the parent of a fork
  uint64_t attach_clock;         // the same moment by clock_source …
  uint64_t attach_monotonic_ns;  // … and by CLOCK_MONOTONIC
  char comm[16];                 // zero-padded
  uint32_t disarmed;             // 1, release: disarm_reason stands, no more records will come
  char disarm_reason[148];       // zero-padded
  uint32_t rings_used;           // rings below this have been claimed at least once
  uint32_t pid_namespace;        // inode of /proc/self/ns/pid, in which pid counts; 0: not known
  uint64_t arena_used;           // bytes, release: the entries below stand
  // Losses that no ring can count, in records (names: in texts). Relaxed; they only grow.
  uint64_t dropped_names;
  uint64_t dropped_budget;    // by threads for which the budget had no ring
  uint64_t dropped_no_space;  // by threads whose ring the system had no memory for; texts, too
  uint64_t dropped_nested;    // deeper than kMaxDepth, or from a signal inside the probe
};

// What can be captured in a window, as bits. Stored: values are fixed for ever and never reused.
enum class CaptureKind : uint32_t {
  kOperators = 1,
  kKernels = 2,
  kProfile = 4,  // by PyTorch's profiler, operators included; with
  kProfileStacks = 1u << 16,
  kProfileShapes = 1u << 17,
  kProfileMemory = 1u << 18,
};
inline constexpr uint32_t kProfileOptions = 7u << 16;
inline constexpr uint32_t kCaptureKinds =
    static_cast<uint32_t>(CaptureKind::kOperators) | static_cast<uint32_t>(CaptureKind::kKernels) |
    static_cast<uint32_t>(CaptureKind::kProfile) | kProfileOptions;

// A window of steps that follows another by itself: fast steps have passed it before the agent
// hears that the one before is over.
struct CaptureNext {
  uint64_t first_step;  // at least where the one before ends
  uint64_t steps;
  uint32_t kinds;
  uint32_t reserved;
};
inline constexpr uint32_t kMaxCapturesNext = 16;

// What the agent wants captured. Written by the reader alone, whole; 0 everywhere: nothing yet. A
// new request takes the place of the one before, whatever became of that.
struct CaptureControl {
  uint64_t request;             // its number, from 1, only growing; 0: none
  uint64_t first_step;          // the window begins with this step of the process; 0: the next
  uint64_t steps;               // … and has so many; 0: as many as the other bounds allow
  uint64_t until_monotonic_ns;  // it ends with the step in which that comes; 0: no such bound
  uint64_t max_operators;       // … or in which so many have been recorded; 0: no such bound
  uint32_t kinds;               // of CaptureKind; 0: capture nothing, end what is going on
  uint32_t next_count;          // so many follow it, as the requests with the numbers after its own
  CaptureNext next[kMaxCapturesNext];
  uint64_t dur_ns;  // it ends with the step in which it is so old; 0: no such bound
  // … or by which it has so many operators and kStepsOfEnough whole steps; 0: no such bound
  uint64_t enough_operators;
  uint64_t check;  // CaptureCheck() of what stands before: a copy may be torn
};
inline constexpr uint64_t kStepsOfEnough = 3;
inline constexpr uint64_t kCaptureOffset = 1024;
// More cannot be asked for: with larger numbers something else has written there.
inline constexpr uint64_t kMaxCaptureSteps = 1'000'000'000;

constexpr uint64_t CaptureCheck(const CaptureControl& control) {
  uint64_t hash = 0xCBF29CE484222325;  // FNV-1a, a word at a time
  const auto add = [&hash](uint64_t word) {
    hash = (hash ^ word) * 0x100000001B3;
    hash ^= hash >> 29;
  };
  for (const uint64_t word :
       {control.request, control.first_step, control.steps, control.until_monotonic_ns,
        control.max_operators, control.dur_ns, control.enough_operators,
        uint64_t{control.next_count} << 32 | control.kinds}) {
    add(word);
  }
  for (const CaptureNext& next : control.next) {
    for (const uint64_t word : {next.first_step, next.steps, uint64_t{next.kinds}}) add(word);
  }
  return hash;
}

// Whether what follows a request is of steps, in their order.
constexpr bool FollowsSoundly(const CaptureControl& control) {
  if (control.next_count > kMaxCapturesNext) return false;
  if (control.next_count > 0 && (control.steps == 0 || control.kinds == 0)) return false;
  // Where a window of the first steps that can be had ends is not known.
  uint64_t from = control.first_step == 0 ? 1 : control.first_step + control.steps;
  for (uint32_t i = 0; i < control.next_count; ++i) {
    const CaptureNext& next = control.next[i];
    const bool sound = next.first_step >= from && next.first_step <= kMaxCaptureSteps &&
                       next.steps > 0 && next.steps <= kMaxCaptureSteps && next.kinds != 0 &&
                       (next.kinds & ~kCaptureKinds) == 0;
    if (!sound) return false;
    from = next.first_step + next.steps;
  }
  return true;
}

// Whether it is a request that can be followed: whole, bounded by something, and of kinds that this
// version knows.
constexpr bool IsSound(const CaptureControl& control) {
  const bool bounded = control.steps != 0 || control.until_monotonic_ns != 0 ||
                       control.dur_ns != 0 || control.kinds == 0;
  return control.request != 0 && control.check == CaptureCheck(control) && bounded &&
         control.steps <= kMaxCaptureSteps && control.first_step <= kMaxCaptureSteps &&
         (control.kinds & ~kCaptureKinds) == 0 && FollowsSoundly(control);
}

// A ring's two lines. The writers of the two are different processes: they must not share a line.
struct RingControl {
  // Written by the producer (dropped_full and usable: relaxed, before a release of head).
  uint64_t head;
  uint64_t dropped_full;
  uint32_t usable;  // slots that are committed: a multiple of kCommitRecords
  int32_t tid;
  uint32_t state;       // RingState
  uint32_t generation;  // claims so far
  uint8_t producer_pad[32];
  // Written by the reader.
  uint64_t tail;
  uint64_t tail_check;  // ~tail; 0 with tail 0: no reader came yet
  uint8_t reader_pad[48];
};

// An entry of the arena; its id is its number, from 1. The text follows, then zeros up to a
// multiple of 8. Bytes of the text are what the script gave: any, control characters included.
//
//   0         4          6      8
//   │ bytes   │ category │ 0    │ text … 0 │
struct NameHeader {
  uint32_t bytes;
  uint16_t category;  // wire::Category
  uint16_t reserved;
};

constexpr uint64_t NameEntryBytes(uint32_t text_bytes) {
  return sizeof(NameHeader) + ((uint64_t{text_bytes} + 7) & ~uint64_t{7});
}
inline constexpr uint32_t kMaxNames = kArenaBytes / NameEntryBytes(1);

static_assert(sizeof(FileHeader) <= kHeaderBytes);
static_assert(offsetof(FileHeader, ready) == 12 && offsetof(FileHeader, pid) == 32);
static_assert(offsetof(FileHeader, comm) == 80 && offsetof(FileHeader, disarm_reason) == 100);
static_assert(offsetof(FileHeader, arena_used) == 256 && sizeof(FileHeader) == 296);
static_assert(sizeof(CaptureNext) == 24 && offsetof(CaptureControl, next) == 48);
static_assert(sizeof(CaptureControl) == 456 && offsetof(CaptureControl, check) == 448);
static_assert(kCaptureOffset >= sizeof(FileHeader) && kCaptureOffset % 64 == 0);
static_assert(kCaptureOffset + sizeof(CaptureControl) <= kHeaderBytes);
static_assert(sizeof(RingControl) == 128 && offsetof(RingControl, tail) == 64);
static_assert(sizeof(NameHeader) == 8);
static_assert(std::is_trivially_copyable_v<FileHeader> && std::is_standard_layout_v<FileHeader>);
static_assert(std::is_trivially_copyable_v<CaptureControl>);
static_assert(std::is_trivially_copyable_v<RingControl> && std::is_standard_layout_v<RingControl>);
static_assert(std::atomic_ref<uint64_t>::is_always_lock_free);
static_assert(std::atomic_ref<uint32_t>::is_always_lock_free);
static_assert(kControlOffset + kMaxRings * sizeof(RingControl) <= kArenaOffset);
static_assert((kLargeRingRecords & (kLargeRingRecords - 1)) == 0,
              "slot = position & (capacity - 1)");
static_assert((kThreadRingRecords & (kThreadRingRecords - 1)) == 0);
static_assert(kLargeRingRecords % kCommitRecords == 0 && kThreadRingRecords % kCommitRecords == 0);
static_assert(kArenaBytes % kArenaCommitBytes == 0 && kRingsOffset % 4096 == 0);

}  // namespace steptrace::wire
