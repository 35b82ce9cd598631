// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "wire/ring_layout.h"

namespace steptrace::transport {

// Who wrote a ring file, as the file says: pid and ppid are claims to be checked against /proc.
struct RingIdentity {
  int32_t pid = 0;
  int32_t ppid = 0;
  uint32_t pid_namespace = 0;  // 0: not known
  uint64_t start_time_ticks = 0;
  int32_t rank = -1;  // -1: unknown
  int32_t local_rank = -1;
  int32_t world_size = -1;
  uint32_t clock_source = 0;         // wire::ClockSource
  uint64_t attach_clock = 0;         // the same moment by that clock …
  uint64_t attach_monotonic_ns = 0;  // … and by CLOCK_MONOTONIC
  uint32_t inherited_names = 0;
  std::string comm;
  std::string disarm_reason;  // empty: armed
};

// What became of the records, in records (names: in texts). Each grows only.
struct DrainCounts {
  uint64_t records = 0;  // handed out
  uint64_t dropped_full = 0;
  uint64_t dropped_names = 0;
  uint64_t dropped_budget = 0;
  uint64_t dropped_no_space = 0;
  uint64_t dropped_nested = 0;
  uint64_t dropped_opening = 0;  // while another thread made the file
  uint64_t invalid = 0;          // read, but damaged: not handed out
};

struct NameEntry {
  std::string text;  // any bytes: control characters and invalid UTF-8 are kept
  uint16_t category = 0;
};

// The reading half of the transport: one process's ring file, taken for an enemy's work. All is
// copied by pread before it is looked at, so neither damage nor truncation can fault the reader; of
// the file's content nothing is believed that a bound of the layout does not cover. One thread.
//
//   for each poll:  thread_count()              two preads: a snapshot of header and controls
//                   for each ring < thread_count(): while (n = Drain(ring, out)) …
//                   thread_tid(ring), ThreadEnded(ring) speak of the records just drained
//
// A ring goes to another thread only when it is drained: one Drain() never mixes two threads. It
// does not judge times: `tsc` is whatever was written.
class UntrustedRingFile {
 public:
  // `name` in `dir_fd`, which must be a plain file of `owner`, closed to others, no link. An error
  // while the writer is still at making it, too: try again at the next poll.
  static Result<UntrustedRingFile> Open(int dir_fd, const char* name, uid_t owner);
  // Whether it is such a file of which its writer has not said yet that it stands.
  static bool IsBeingMade(int dir_fd, const char* name, uid_t owner);

  const RingIdentity& identity() const { return identity_; }
  ino_t inode() const { return inode_; }

  // Whether any other process has it open or mapped, whatever its pid namespace; none: this file
  // system cannot tell. True also of a file system that never gives a lease.
  std::optional<bool> IsHeldByOthers() const;

  // Takes a new snapshot; the number of rings that have been in use so far.
  int thread_count();

  // Owner of the records that Drain() last gave for this ring (or is about to, before the first).
  int32_t thread_tid(int ring) const;
  // Claims of the ring so far: another number is another thread, though the tid be the same, and
  // the one before has ended, though ThreadEnded() never said so.
  uint32_t thread_generation(int ring) const;

  // Copies checked records of the snapshot, oldest first, `category` filled in from their names,
  // and gives their slots back. 0: nothing left in the snapshot.
  size_t Drain(int ring, std::span<wire::Record> out);

  // Its thread is gone and everything of it has been drained.
  bool ThreadEnded(int ring) const;

  // A text of the arena by id, from 1.
  std::optional<NameEntry> Name(uint32_t id);
  uint32_t name_count() const { return static_cast<uint32_t>(names_.size()); }

  const DrainCounts& counts() const { return counts_; }

  // Leaves the agent's word for the process; `check` is filled in. False: the file is not to be
  // written any more. Nothing in it is read back.
  bool WriteCapture(wire::CaptureControl control);
  // Likewise, how often it is to sample its own stacks; 0: not any more.
  bool WriteStackPeriod(uint64_t period_ns);

 private:
  Status OpenFile(int dir_fd, const char* name, uid_t owner);
  struct NameRef {
    uint32_t offset;  // in the file
    uint32_t bytes;
    uint16_t category;
  };
  struct Ring {
    wire::RingControl control{};  // the copy of the snapshot, or of Drain()'s second look
    uint64_t target = 0;          // head of the snapshot: no further, or a quick writer holds us
    uint64_t tail = 0;            // ours: the one in the file is only written
    uint64_t dropped_full = 0;
    bool tail_known = false;
    bool end_confirmed = false;
    uint32_t ended_generation = 0;
  };

  UntrustedRingFile() = default;
  Status ReadIdentity();
  bool ReadSnapshot();
  struct HeaderPart;
  void UpdateLosses(const HeaderPart& part);
  void UpdateDropped(Ring& ring, uint32_t index);
  uint64_t TrustedHead(Ring& ring, uint32_t index);
  void AdoptTail(Ring& ring, uint32_t index);
  void PublishTail(const Ring& ring, uint32_t index);
  size_t CopyRun(Ring& ring, uint32_t index, uint64_t head, std::span<wire::Record> out);
  void ConfirmEnd(Ring& ring, uint32_t index);
  size_t KeepValid(std::span<wire::Record> records);
  bool Complete(wire::Record& record);
  bool KnownName(uint64_t id);
  void ReadNames();
  void ParseNames(std::span<const uint8_t> bytes);
  bool ReadAt(uint64_t offset, void* out, size_t bytes) const;

  UniqueFd fd_;
  ino_t inode_ = 0;
  uint32_t ring_count_ = 0;
  uint32_t rings_used_ = 0;
  RingIdentity identity_;
  DrainCounts counts_;
  std::vector<Ring> rings_;
  std::vector<NameRef> names_;
  uint64_t arena_parsed_ = 0;  // bytes
  bool arena_damaged_ = false;
  bool names_asked_ = false;  // in this Drain() or Name()
};

}  // namespace steptrace::transport
