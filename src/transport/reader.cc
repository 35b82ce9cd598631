// SPDX-License-Identifier: Apache-2.0
#include "transport/reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "wire/opening_loss.h"
#include "wire/stack_control.h"

namespace steptrace::transport {
namespace {

constexpr uint64_t kControlLine = sizeof(wire::RingControl);
constexpr uint64_t kTailOffset = offsetof(wire::RingControl, tail);

uint64_t ControlOffset(uint32_t ring) {
  return wire::kControlOffset + ring * kControlLine;
}

Error Damaged(const char* name, const char* cause) {
  return Error{std::string(name) + ": " + cause, "not a ring file of this version, left alone"};
}

// A counter of the other side, by two readings of which one may be torn: it may only grow, and sums
// of such must not wrap.
void Raise(uint64_t& ours, uint64_t first, uint64_t second) {
  constexpr uint64_t kSane = 1ull << 56;
  const uint64_t theirs = std::min(first, second);
  if (theirs > ours && theirs < kSane) ours = theirs;
}

// At most `size` characters, up to the first zero.
std::string BoundedText(const char* text, size_t size) {
  return std::string(text, strnlen(text, size));
}

// Slots below this are in use; whatever the file says, at least one commit and at most all.
uint64_t UsableSlots(const wire::RingControl& control, uint64_t capacity) {
  const uint64_t usable = control.usable;
  if (usable == 0 || usable > capacity || usable % wire::kCommitRecords != 0) return capacity;
  return usable;
}

bool Ended(const wire::RingControl& control) {
  return control.state == static_cast<uint32_t>(wire::RingState::kEnded);
}

// Names are read in pieces of this size: more than the longest entry.
constexpr uint64_t kNamesAtOnceBytes = 256 << 10;
static_assert(kNamesAtOnceBytes > wire::NameEntryBytes(wire::kMaxFactBytes));

}  // namespace

Result<UntrustedRingFile> UntrustedRingFile::Open(int dir_fd, const char* name, uid_t owner) {
  UntrustedRingFile file;
  STEPTRACE_RETURN_IF_ERROR(file.OpenFile(dir_fd, name, owner));
  if (auto status = file.ReadIdentity(); !status.ok()) {
    return Damaged(name, status.error().text().c_str());
  }
  return file;
}

Status UntrustedRingFile::OpenFile(int dir_fd, const char* name, uid_t owner) {
  // O_NONBLOCK: opening a FIFO of that name must not wait for its writer.
  fd_ = UniqueFd(openat(dir_fd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!fd_.valid()) {
    return Error{std::string(name) + ": " + std::strerror(errno), "cannot be opened as a ring"};
  }
  struct stat info {};
  if (fstat(fd_.get(), &info) != 0) return Damaged(name, std::strerror(errno));
  if (!S_ISREG(info.st_mode)) return Damaged(name, "not a plain file");
  if (info.st_uid != owner) return Damaged(name, "belongs to another user");
  if ((info.st_mode & 077) != 0) return Damaged(name, "open to other users");
  inode_ = info.st_ino;
  return {};
}

bool UntrustedRingFile::IsBeingMade(int dir_fd, const char* name, uid_t owner) {
  UntrustedRingFile file;
  if (!file.OpenFile(dir_fd, name, owner).ok()) return false;
  wire::FileHeader header;
  return !file.ReadAt(0, &header, sizeof header) || header.ready == 0;
}

// A write lease is given only where no other open file, and so no other mapping, of it is left. It
// is given back at once; its writer is gone then, so that nobody waits for it in open().
std::optional<bool> UntrustedRingFile::IsHeldByOthers() const {
  if (fcntl(fd_.get(), F_SETLEASE, F_WRLCK) == 0) {
    fcntl(fd_.get(), F_SETLEASE, F_UNLCK);
    return false;
  }
  return errno == EAGAIN ? std::optional(true) : std::nullopt;
}

bool UntrustedRingFile::ReadAt(uint64_t offset, void* out, size_t bytes) const {
  auto* at = static_cast<uint8_t*>(out);
  while (bytes > 0) {
    const ssize_t got = pread(fd_.get(), at, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;  // shorter than it was
    at += got;
    offset += static_cast<uint64_t>(got);
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

Status UntrustedRingFile::ReadIdentity() {
  wire::FileHeader header;
  if (!ReadAt(0, &header, sizeof header)) return Error{"too short"};
  if (header.ready != 1) return Error{"not ready yet"};
  // Pairs with the writer's release of ready: what follows was written before it.
  std::atomic_thread_fence(std::memory_order_acquire);
  if (!ReadAt(0, &header, sizeof header)) return Error{"too short"};
  if (header.magic != wire::kMagic) return Error{"wrong magic"};
  if (header.version != wire::kVersion) return Error{"unknown version"};
  if (header.ring_count == 0 || header.ring_count > wire::kMaxRings) return Error{"bad ring count"};
  if (header.file_bytes != wire::RingOffset(header.ring_count)) return Error{"bad size"};
  struct stat info {};
  if (fstat(fd_.get(), &info) != 0 || static_cast<uint64_t>(info.st_size) < header.file_bytes) {
    return Error{"cut short"};
  }
  if (header.clock_source < 1 ||
      header.clock_source > static_cast<uint32_t>(wire::ClockSource::kInvariantTsc)) {
    return Error{"unknown clock"};
  }
  if (header.pid <= 0 || header.ppid < 0) return Error{"bad process number"};
  const auto rank_or_unknown = [](int32_t value) { return value < 0 ? -1 : value; };
  identity_ = {.pid = header.pid,
               .ppid = header.ppid,
               .pid_namespace = header.pid_namespace,
               .start_time_ticks = header.start_time_ticks,
               .rank = rank_or_unknown(header.rank),
               .local_rank = rank_or_unknown(header.local_rank),
               .world_size = rank_or_unknown(header.world_size),
               .clock_source = header.clock_source,
               .attach_clock = header.attach_clock,
               .attach_monotonic_ns = header.attach_monotonic_ns,
               .inherited_names = header.inherited_names,
               .comm = BoundedText(header.comm, sizeof header.comm),
               .disarm_reason = {}};
  ring_count_ = header.ring_count;
  rings_.resize(ring_count_);
  return {};
}

int UntrustedRingFile::thread_count() {
  ReadSnapshot();
  return static_cast<int>(rings_used_);
}

// The header and what stands behind it up to the last counter of the process's.
struct UntrustedRingFile::HeaderPart {
  wire::FileHeader header;
  uint8_t between[wire::kOpeningLossOffset - sizeof(wire::FileHeader)];
  uint64_t lost_in_opening;
};

// Header and the controls of all rings in use. What cannot be read any more stays as it was.
bool UntrustedRingFile::ReadSnapshot() {
  HeaderPart part;
  static_assert(offsetof(HeaderPart, lost_in_opening) == wire::kOpeningLossOffset);
  if (!ReadAt(0, &part, sizeof part)) return false;
  const wire::FileHeader& header = part.header;
  UpdateLosses(part);
  rings_used_ = std::max(rings_used_, std::min(header.rings_used, ring_count_));
  std::array<wire::RingControl, wire::kMaxRings> controls;
  if (!ReadAt(wire::kControlOffset, controls.data(), rings_used_ * kControlLine)) return false;
  // Pairs with each producer's release of head: the records below it can be read now.
  std::atomic_thread_fence(std::memory_order_acquire);
  for (uint32_t i = 0; i < rings_used_; ++i) {
    Ring& ring = rings_[i];
    ring.control = controls[i];
    if (ring.control.dropped_full != ring.dropped_full) UpdateDropped(ring, i);
    AdoptTail(ring, i);
    ConfirmEnd(ring, i);
    ring.target = ring.control.head;
  }
  return true;
}

// The head of an ended ring no longer moves, but the copy that first shows the end may show a head
// from just before it: only a later copy is sure to have both.
void UntrustedRingFile::ConfirmEnd(Ring& ring, uint32_t index) {
  const uint32_t generation = ring.control.generation;
  const bool known = ring.end_confirmed && generation == ring.ended_generation;
  ring.end_confirmed = false;
  if (!Ended(ring.control)) return;
  if (!known && !ReadAt(ControlOffset(index), &ring.control, kControlLine)) return;
  ring.end_confirmed = Ended(ring.control) && ring.control.generation == generation;
  ring.ended_generation = generation;
}

void UntrustedRingFile::UpdateDropped(Ring& ring, uint32_t index) {
  wire::RingControl again;
  if (!ReadAt(ControlOffset(index), &again, kControlLine)) return;
  const uint64_t before = ring.dropped_full;
  Raise(ring.dropped_full, ring.control.dropped_full, again.dropped_full);
  counts_.dropped_full += ring.dropped_full - before;
}

void UntrustedRingFile::UpdateLosses(const HeaderPart& first_part) {
  const wire::FileHeader& first = first_part.header;
  const bool disarmed = first.disarmed == 1 && identity_.disarm_reason.empty();
  const bool lost = first.dropped_names != counts_.dropped_names ||
                    first.dropped_budget != counts_.dropped_budget ||
                    first.dropped_no_space != counts_.dropped_no_space ||
                    first.dropped_nested != counts_.dropped_nested ||
                    first_part.lost_in_opening != counts_.dropped_opening;
  HeaderPart second_part;
  if ((!disarmed && !lost) || !ReadAt(0, &second_part, sizeof second_part)) return;
  const wire::FileHeader& second = second_part.header;
  Raise(counts_.dropped_names, first.dropped_names, second.dropped_names);
  Raise(counts_.dropped_budget, first.dropped_budget, second.dropped_budget);
  Raise(counts_.dropped_no_space, first.dropped_no_space, second.dropped_no_space);
  Raise(counts_.dropped_nested, first.dropped_nested, second.dropped_nested);
  Raise(counts_.dropped_opening, first_part.lost_in_opening, second_part.lost_in_opening);
  if (disarmed) {
    // Whole in the second copy: it was written before the flag (release) that the first has.
    identity_.disarm_reason = BoundedText(second.disarm_reason, sizeof second.disarm_reason);
    if (identity_.disarm_reason.empty()) identity_.disarm_reason = "no reason given";
  }
}

// At the first look at a ring, another reader may have drained a part of it before us.
void UntrustedRingFile::AdoptTail(Ring& ring, uint32_t index) {
  if (ring.tail_known) return;
  ring.tail_known = true;
  const wire::RingControl& control = ring.control;
  const bool whole = control.tail_check == ~control.tail;
  const bool sane =
      control.tail <= control.head && control.head - control.tail <= wire::RingCapacity(index);
  if (whole && sane) {
    ring.tail = control.tail;
  } else if (control.head > wire::RingCapacity(index)) {
    ring.tail = control.head;  // which of them still stand cannot be known
    counts_.invalid += 1;
  }
}

// The head of the snapshot, and the ring's control by a second reading. A copy by the system may
// tear a word that changes; of a number that only grows, the lesser of two readings was once
// reached.
uint64_t UntrustedRingFile::TrustedHead(Ring& ring, uint32_t index) {
  if (!ReadAt(ControlOffset(index), &ring.control, kControlLine)) return ring.tail;
  std::atomic_thread_fence(std::memory_order_acquire);  // pairs with the producer's release of head
  const uint64_t head = std::min(ring.target, ring.control.head);
  if (head < ring.tail) return ring.tail;
  if (head - ring.tail > wire::RingCapacity(index)) {
    // No producer of ours gets there: it does not overwrite. Start again where it says it is.
    ring.tail = head;
    counts_.invalid += 1;
    PublishTail(ring, index);
  }
  return head;
}

// In one write, so that tail and check go together; both are in a page that exists.
void UntrustedRingFile::PublishTail(const Ring& ring, uint32_t index) {
  const uint64_t line[2] = {ring.tail, ~ring.tail};
  // Pairs with the producer's acquire of tail: our copies come before it may overwrite.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const auto offset = static_cast<off_t>(ControlOffset(index) + kTailOffset);
  // A failure leaves the ring to fill up, which the producer counts.
  [[maybe_unused]] const ssize_t written = pwrite(fd_.get(), line, sizeof line, offset);
}

bool UntrustedRingFile::WriteCapture(wire::CaptureControl control) {
  control.check = wire::CaptureCheck(control);
  // In one write, to a page that exists; the process verifies the check.
  const auto written = pwrite(fd_.get(), &control, sizeof control, wire::kCaptureOffset);
  return written == static_cast<ssize_t>(sizeof control);
}

bool UntrustedRingFile::WriteStackPeriod(uint64_t period_ns) {
  const wire::StackControl control{period_ns, ~period_ns};
  const auto written = pwrite(fd_.get(), &control, sizeof control, wire::kStackControlOffset);
  return written == static_cast<ssize_t>(sizeof control);
}

size_t UntrustedRingFile::Drain(int ring_number, std::span<wire::Record> out) {
  if (ring_number < 0 || static_cast<uint32_t>(ring_number) >= rings_used_) return 0;
  const auto index = static_cast<uint32_t>(ring_number);
  Ring& ring = rings_[index];
  if (ring.target == ring.tail) return 0;
  const uint64_t start = ring.tail;
  const uint64_t head = TrustedHead(ring, index);
  names_asked_ = false;
  size_t kept = 0;
  while (kept < out.size() && ring.tail < head) {
    const uint64_t before = ring.tail;
    const size_t copied = CopyRun(ring, index, head, out.subspan(kept));
    kept += KeepValid(out.subspan(kept, copied));
    if (ring.tail == before) break;  // the file is shorter than it was
  }
  if (ring.tail != start) PublishTail(ring, index);
  counts_.records += kept;
  return kept;
}

// Copies records that lie in a row, or passes over the part of a lap that was never committed.
size_t UntrustedRingFile::CopyRun(Ring& ring, uint32_t index, uint64_t head,
                                  std::span<wire::Record> out) {
  const uint64_t capacity = wire::RingCapacity(index);
  const uint64_t usable = UsableSlots(ring.control, capacity);
  const uint64_t slot = ring.tail % capacity;
  if (slot >= usable) {
    ring.tail = std::min(head, ring.tail - slot + capacity);
    return 0;
  }
  const uint64_t run = std::min({usable - slot, head - ring.tail, uint64_t{out.size()}});
  const uint64_t offset = wire::RingOffset(index) + slot * sizeof(wire::Record);
  if (!ReadAt(offset, out.data(), run * sizeof(wire::Record))) return 0;
  ring.tail += run;
  return run;
}

// Moves the good records to the front; their number.
size_t UntrustedRingFile::KeepValid(std::span<wire::Record> records) {
  size_t kept = 0;
  for (wire::Record& record : records) {
    if (Complete(record)) {
      records[kept++] = record;
    } else {
      counts_.invalid += 1;
    }
  }
  return kept;
}

// Checks a record and fills in the category of its name.
bool UntrustedRingFile::Complete(wire::Record& record) {
  if (record.kind == 0 || record.kind > wire::kLastRecordKind || !KnownName(record.name)) {
    return false;
  }
  const bool payload = record.kind == static_cast<uint8_t>(wire::RecordKind::kPayload);
  if (payload && !KnownName(record.a)) return false;
  record.flags &= wire::kFlagAfterLoss | wire::kDepthMask;
  record.category = names_[record.name - 1].category;
  return true;
}

// A name is in the arena before any record that uses it: an unknown one may be new, which is looked
// up once per Drain(), or it is none.
bool UntrustedRingFile::KnownName(uint64_t id) {
  if (id > names_.size() && !names_asked_) {
    names_asked_ = true;
    ReadNames();
  }
  return id >= 1 && id <= names_.size();
}

std::optional<NameEntry> UntrustedRingFile::Name(uint32_t id) {
  names_asked_ = false;
  if (!KnownName(id)) return std::nullopt;
  const NameRef& ref = names_[id - 1];
  NameEntry entry{std::string(ref.bytes, '\0'), ref.category};
  if (!ReadAt(ref.offset, entry.text.data(), ref.bytes)) return std::nullopt;
  return entry;
}

void UntrustedRingFile::ReadNames() {
  constexpr uint64_t kMarkOffset = offsetof(wire::FileHeader, arena_used);
  uint64_t first = 0, second = 0;
  if (!ReadAt(kMarkOffset, &first, sizeof first) || !ReadAt(kMarkOffset, &second, sizeof second)) {
    return;
  }
  // Pairs with the writer's release of arena_used. The lesser of two, for a copy may be torn.
  std::atomic_thread_fence(std::memory_order_acquire);
  const uint64_t end = std::min({first, second, wire::kArenaBytes});
  std::vector<uint8_t> bytes;
  while (!arena_damaged_ && arena_parsed_ < end) {
    bytes.resize(std::min(end - arena_parsed_, kNamesAtOnceBytes));
    if (!ReadAt(wire::kArenaOffset + arena_parsed_, bytes.data(), bytes.size())) return;
    const uint64_t before = arena_parsed_;
    ParseNames(bytes);
    if (arena_parsed_ == before) return;  // the rest of an entry is missing
  }
}

// Takes in the whole entries of `bytes`, which follow what was parsed before. An entry that cannot
// be makes all behind it unreadable: its length is the way to the next.
void UntrustedRingFile::ParseNames(std::span<const uint8_t> bytes) {
  uint64_t at = 0;
  while (at + sizeof(wire::NameHeader) <= bytes.size()) {
    wire::NameHeader header;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    if (header.bytes == 0 || header.bytes > wire::kMaxFactBytes || header.category == 0) {
      arena_damaged_ = true;
      counts_.invalid += 1;
      break;
    }
    const uint64_t entry_bytes = wire::NameEntryBytes(header.bytes);
    if (at + entry_bytes > bytes.size()) break;
    const uint64_t text = wire::kArenaOffset + arena_parsed_ + at + sizeof header;
    names_.push_back({static_cast<uint32_t>(text), header.bytes, header.category});
    at += entry_bytes;
  }
  arena_parsed_ += at;
}

bool UntrustedRingFile::ThreadEnded(int ring) const {
  if (ring < 0 || static_cast<uint32_t>(ring) >= rings_used_) return false;
  return rings_[ring].end_confirmed && rings_[ring].control.head == rings_[ring].tail;
}

int32_t UntrustedRingFile::thread_tid(int ring) const {
  return ring < 0 || static_cast<uint32_t>(ring) >= rings_used_ ? 0 : rings_[ring].control.tid;
}

uint32_t UntrustedRingFile::thread_generation(int ring) const {
  if (ring < 0 || static_cast<uint32_t>(ring) >= rings_used_) return 0;
  return rings_[ring].control.generation;
}

}  // namespace steptrace::transport
