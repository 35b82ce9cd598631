// SPDX-License-Identifier: Apache-2.0
#include "transport/writer/hot_path.h"
#include "transport/writer/keep_errno.h"
#include "transport/writer/process_state.h"
#include "transport/writer/writer.h"

// What the hot path leaves out of line.
namespace steptrace::transport {
namespace {

// A thread without a ring asks again after this many lost records: another thread may have ended.
constexpr uint32_t kRetryRecords = 1024;
// Losses of such threads go to the shared counter in batches, for it is a line that all share.
constexpr uint32_t kFlushRecords = 64;

// The reader's mark. It is written by a system call, whose copy may be seen half done, and by
// another process, which may be wrong: unless it makes sense, the last good one stands.
uint64_t ReadTail(const ThreadRing& ring) {
  wire::RingControl& control = *ring.control;
  // Pairs with the reader's write of tail, after its copy of the records.
  const uint64_t tail = std::atomic_ref<uint64_t>(control.tail).load(std::memory_order_acquire);
  const uint64_t check =
      std::atomic_ref<uint64_t>(control.tail_check).load(std::memory_order_acquire);
  const bool whole = check == ~tail;
  return whole && tail >= ring.tail && tail <= ring.head ? tail : ring.tail;
}

uint64_t Capacity(const ThreadRing& ring) {
  return ring.mask + 1;
}

// Positions that can be written in this lap, from its start.
uint64_t UsableEnd(const ThreadRing& ring) {
  const uint64_t lap = ring.head & ~ring.mask;
  const uint64_t free_end = ring.tail + Capacity(ring);
  if (ring.usable == Capacity(ring)) return free_end;
  return free_end < lap + ring.usable ? free_end : lap + ring.usable;
}

uint64_t FreeRecords(const ThreadRing& ring) {
  const uint64_t lap = ring.head & ~ring.mask;
  const uint64_t here = UsableEnd(ring) - ring.head;
  if (ring.usable == Capacity(ring) || UsableEnd(ring) != lap + ring.usable) return here;
  return here + (ring.tail > lap ? ring.tail - lap : 0);  // and in the next lap
}

void GrowFor(ThreadRing* ring, uint64_t need) {
  const uint64_t slot = ring->head & ring->mask;
  while (!ring->cannot_grow && ring->usable < Capacity(*ring) && slot + need > ring->usable) {
    const KeepErrno keep;
    const uint64_t offset =
        wire::RingOffset(ring->index) + uint64_t{ring->usable} * sizeof(wire::Record);
    if (!g_process.file.Commit(offset, wire::kCommitRecords * sizeof(wire::Record))) {
      ring->cannot_grow = 1;
      return;
    }
    ring->usable += wire::kCommitRecords;
    std::atomic_ref<uint32_t>(ring->control->usable).store(ring->usable, std::memory_order_relaxed);
  }
}

uint8_t TakeLossFlag(ThreadRing* ring) {
  const uint8_t flag = ring->after_loss ? wire::kFlagAfterLoss : 0;
  ring->after_loss = 0;
  return flag;
}

void CountFull(ThreadRing* ring, uint64_t records) {
  std::atomic_ref<uint64_t> dropped(ring->control->dropped_full);
  dropped.store(dropped.load(std::memory_order_relaxed) + records, std::memory_order_relaxed);
  ring->after_loss = 1;
  ring->limit = 0;  // so that the record after the loss comes here and says so
}

// No ring, or the guard held by this very thread further down its stack: `records` are lost.
// True: there is a ring now, try again.
bool Unguarded(uint32_t records, bool while_paused = false) {
  ThreadLocal& local = t_local;
  if (local.ring != &g_no_ring) {
    CountLoss(g_process.header()->dropped_nested, 1);
    return false;
  }
  if (!EnsureOwnFile() || !Attached()) {
    CountWhileOpening(records);
    return false;
  }
  HandInOpeningLosses();
  if (!Recording() && !while_paused) return false;
  if (local.until_retry == 0) {
    if (ClaimRing() != nullptr) return true;
    local.until_retry = kRetryRecords;
  }
  local.until_retry -= 1;
  local.unrecorded += records;
  if (local.unrecorded >= kFlushRecords || local.exiting) FlushUnrecorded();
  return false;
}

// Holds the guard, and what the hot path does not keep, for a scope: sets it right at the start,
// and at the end gives the ring back to the hot path if every open range has been recorded again.
class UnusualScope {
 public:
  explicit UnusualScope(ThreadRing* ring) : depth(ring->depth()), ring_(ring) {
    Enter(ring, depth);
    if (ring->odd) return;
    ring->owed = depth;
    ring->open = depth == wire::kMaxDepth ? ~0ull : (1ull << depth) - 1;
  }
  ~UnusualScope() {
    ring_->odd = ring_->owed != depth || ring_->too_deep != 0;
    if (ring_->odd) ring_->limit = 0;
    Leave(ring_, depth);
  }
  UnusualScope(const UnusualScope&) = delete;
  UnusualScope& operator=(const UnusualScope&) = delete;

  uint32_t depth;

 private:
  ThreadRing* ring_;
};
static_assert(wire::kMaxDepth == 64, "one bit of ThreadRing::open each");

void DropDeep(ThreadRing* ring) {
  ring->too_deep += 1;
  CountLoss(g_process.header()->dropped_nested, 2);  // its end too
}

void Put(ThreadRing* ring, wire::RecordKind kind, uint32_t name, uint32_t depth, uint64_t a,
         uint64_t b) {
  const uint32_t kind_word = wire::KindWord(kind, depth | TakeLossFlag(ring));
  Publish(ring, ClockTicks(), name, kind_word, a, b);
}

}  // namespace

void FlushUnrecorded() {
  wire::FileHeader* header = g_process.header();
  CountLoss(t_local.no_space ? header->dropped_no_space : header->dropped_budget,
            t_local.unrecorded);
  t_local.unrecorded = 0;
}

bool MakeRoom(ThreadRing* ring, uint64_t need) {
  ring->tail = ReadTail(*ring);
  GrowFor(ring, need);
  const bool room = FreeRecords(*ring) >= need;
  if (ring->usable < Capacity(*ring) && (ring->head & ring->mask) == ring->usable &&
      ring->tail > (ring->head & ~ring->mask)) {
    ring->head = (ring->head | ring->mask) + 1;
  }
  ring->limit = UsableEnd(*ring);
  return room;
}

void MarkGap() {
  ThreadRing* ring = t_local.ring;
  if (ring->busy()) return;
  ring->after_loss = 1;
  ring->limit = 0;  // so that the next record comes here and says so
}

void BeginUnusual(uint32_t name, uint64_t a, uint64_t b) {
  ThreadRing* ring = t_local.ring;
  if (ring->busy()) {
    if (Unguarded(2)) Begin(name, a, b);
    return;
  }
  UnusualScope unusual(ring);
  if (unusual.depth == wire::kMaxDepth) return DropDeep(ring);
  bool record = name != 0 && Recording();
  if (record && !MakeRoom(ring, ring->owed + 2)) {
    record = false;
    CountFull(ring, 2);  // its end will not be recorded either
  }
  ring->names[unusual.depth++] = name;
  ring->open = ring->open << 1 | (record ? 1 : 0);
  if (record) Put(ring, wire::RecordKind::kBegin, name, ring->owed++, a, b);
}

void EndUnusual(uint64_t a, uint64_t b) {
  ThreadRing* ring = t_local.ring;
  if (ring->busy()) {
    if (ring != &g_no_ring) CountLoss(g_process.header()->dropped_nested, 1);
    return;
  }
  UnusualScope unusual(ring);
  if (ring->too_deep > 0) {
    ring->too_deep -= 1;
    return;
  }
  if (unusual.depth == 0) return;  // its begin was before the ring, or in the parent of a fork
  const bool record = (ring->open & 1) != 0;
  ring->open >>= 1;
  const uint32_t name = ring->names[--unusual.depth];
  // There is room: it was kept when the begin was taken.
  if (record && MakeRoom(ring, 1)) Put(ring, wire::RecordKind::kEnd, name, --ring->owed, a, b);
}

void EventUnusual(wire::RecordKind kind, uint32_t name, uint64_t a, uint64_t b) {
  ThreadRing* ring = t_local.ring;
  if (ring->busy()) {
    const bool payload = kind == wire::RecordKind::kPayload;
    if (Unguarded(1, payload)) Event(kind, name, a, b);
    return;
  }
  UnusualScope unusual(ring);
  const bool wanted = Recording() || kind == wire::RecordKind::kPayload;
  if (name == 0 || !wanted) return;
  if (!MakeRoom(ring, ring->owed + 1)) return CountFull(ring, 1);
  Put(ring, kind, name, 0, a, b);
}

bool Activity(uint64_t tsc, uint32_t name, uint64_t a, uint64_t b) {
  ThreadRing* ring = t_local.ring;
  if (ring->busy()) {
    if (!Unguarded(1)) return false;
    ring = t_local.ring;
  }
  UnusualScope unusual(ring);
  if (name == 0 || !Recording()) return false;
  if (!MakeRoom(ring, ring->owed + 1)) {
    CountFull(ring, 1);
    return false;
  }
  Publish(ring, tsc, name, wire::KindWord(wire::RecordKind::kActivity, TakeLossFlag(ring)), a, b);
  return true;
}

bool HasRoom(uint32_t records) {
  if (!Attached() || !EnsureOwnFile() || !Recording()) return false;
  ThreadRing* ring = t_local.ring;
  if (ring == &g_no_ring) {
    if (ClaimRing() == nullptr) return false;
    ring = t_local.ring;
  }
  if (ring->busy()) return false;
  UnusualScope unusual(ring);
  return MakeRoom(ring, ring->owed + records);
}

bool HasRoomForMany(uint64_t records) {
  ThreadRing* ring = t_local.ring;
  if (ring->busy()) return true;
  UnusualScope unusual(ring);
  const uint64_t most = Capacity(*ring) - Capacity(*ring) / 4;
  if (MakeRoom(ring, ring->owed + (records < most ? records : most))) return true;
  // A ring that cannot grow is as large as it is.
  const uint64_t usable = ring->usable - ring->usable / 4;
  return ring->cannot_grow &&
         FreeRecords(*ring) >= ring->owed + (records < usable ? records : usable);
}

uint64_t RecordsWithoutRoom() {
  const ThreadRing* ring = t_local.ring;
  if (ring->busy()) return 0;
  return std::atomic_ref<uint64_t>(ring->control->dropped_full).load(std::memory_order_relaxed);
}

bool WriteReady(const wire::Record* records, uint32_t count) {
  ThreadRing* ring = t_local.ring;
  if (ring->busy()) return Unguarded(count) && WriteReady(records, count);
  UnusualScope unusual(ring);
  if (!Recording()) return false;
  for (uint32_t i = 0; i < count; ++i) {
    if (records[i].name == 0) return false;
  }
  for (uint32_t i = 0; i < count; ++i) {
    // The first looks for room for all, so that the later ones find it; each may begin a lap.
    if (!MakeRoom(ring, ring->owed + count - i)) {
      CountFull(ring, count - i);
      return false;
    }
    const wire::Record& record = records[i];
    const uint32_t kind_word =
        wire::KindWord(static_cast<wire::RecordKind>(record.kind), TakeLossFlag(ring));
    Publish(ring, record.tsc, record.name, kind_word, record.a, record.b);
  }
  return true;
}

}  // namespace steptrace::transport
