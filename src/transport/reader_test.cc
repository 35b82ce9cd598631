// SPDX-License-Identifier: Apache-2.0
#include "transport/reader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <random>
#include <thread>

#include "testing/rings.h"
#include "transport/writer/writer.h"
#include "wire/vocabulary.h"

namespace steptrace::transport {
namespace {

using testing::DrainInto;
using testing::ProcessTrace;
using testing::TestRingFolder;

constexpr char kFile[] = "1.2.ring";
constexpr uint64_t kControl = wire::kControlOffset;
constexpr uint64_t kRecord = wire::RingOffset(0);

// A good file, made by hand from the specification: 2 names, ring 0 with 3 records of which all are
// valid; then a test damages it.
//
//   names  1 "step" (user), 2 "{}" (fact)      ring 0: tid 77, head 3, tail 0
class DamageTest : public ::testing::Test {
 protected:
  DamageTest() {
    fd_ = UniqueFd(open(Path().c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    wire::FileHeader header{};
    header.magic = wire::kMagic;
    header.version = wire::kVersion;
    header.ready = 1;
    header.ring_count = 2;
    header.file_bytes = wire::RingOffset(2);
    header.clock_source = static_cast<uint32_t>(wire::ClockSource::kMonotonic);
    header.pid = 1;
    header.start_time_ticks = 2;
    header.rings_used = 1;
    header.arena_used = 32;
    std::memcpy(header.comm, "python", 6);
    EXPECT_EQ(ftruncate(fd_.get(), static_cast<off_t>(header.file_bytes)), 0);
    Put(0, header);
    wire::RingControl control{};
    control.head = 3;
    control.tid = 77;
    control.usable = wire::kCommitRecords;
    control.state = static_cast<uint32_t>(wire::RingState::kActive);
    control.generation = 1;
    Put(kControl, control);
    PutName(0, "step", wire::Category::kUser);
    PutName(16, "{}", wire::Category::kFact);
    Put(kRecord, wire::MakeRecord(wire::RecordKind::kBegin, 10, 1, 0, 5, 0));
    Put(kRecord + 32, wire::MakeRecord(wire::RecordKind::kPayload, 11, 2, 0, 2, 0));
    Put(kRecord + 64, wire::MakeRecord(wire::RecordKind::kEnd, 12, 1, 0, 0, 0));
  }

  std::string Path() const { return folder_.path() / kFile; }

  template <class T>
  void Put(uint64_t offset, const T& value) {
    EXPECT_EQ(pwrite(fd_.get(), &value, sizeof value, static_cast<off_t>(offset)),
              static_cast<ssize_t>(sizeof value));
  }
  template <class T>
  T Get(uint64_t offset) {
    T value;
    EXPECT_EQ(pread(fd_.get(), &value, sizeof value, static_cast<off_t>(offset)),
              static_cast<ssize_t>(sizeof value));
    return value;
  }
  void PutName(uint64_t offset, const std::string& text, wire::Category category) {
    const wire::NameHeader header{static_cast<uint32_t>(text.size()),
                                  static_cast<uint16_t>(category), 0};
    Put(wire::kArenaOffset + offset, header);
    EXPECT_EQ(pwrite(fd_.get(), text.data(), text.size(),
                     static_cast<off_t>(wire::kArenaOffset + offset + sizeof header)),
              static_cast<ssize_t>(text.size()));
  }

  Result<UntrustedRingFile> TryOpen() {
    UniqueFd folder(open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return UntrustedRingFile::Open(folder.get(), kFile, geteuid());
  }

  // Opens and reads it as an agent does; nullopt: refused. Whatever the damage, what comes out
  // keeps the contract and comes to an end.
  std::optional<ProcessTrace> ReadAll() {
    auto file = TryOpen();
    if (!file.ok()) return std::nullopt;
    ProcessTrace trace;
    for (int poll = 0; poll < 3; ++poll) DrainInto(*file, trace);
    EXPECT_LE(trace.names.size(), wire::kMaxNames);
    for (const auto& thread : trace.threads) {
      for (const wire::Record& record : thread.records) {
        EXPECT_TRUE(record.kind >= 1 && record.kind <= wire::kLastRecordKind);
        EXPECT_TRUE(record.name >= 1 && record.name <= trace.names.size());
        EXPECT_EQ(record.category, trace.names.at(record.name - 1).category);
      }
    }
    return trace;
  }

  TestRingFolder folder_;
  UniqueFd fd_;
};

TEST_F(DamageTest, TheUndamagedFileIsRead) {
  const auto trace = ReadAll();
  ASSERT_TRUE(trace.has_value());
  ASSERT_EQ(trace->threads.size(), 1u);
  EXPECT_EQ(trace->threads[0].tid, 77);
  EXPECT_EQ(trace->threads[0].records.size(), 3u);
  EXPECT_EQ(trace->threads[0].records[0].category, static_cast<uint16_t>(wire::Category::kUser));
  EXPECT_EQ(trace->names.at(1).text, "{}");
  EXPECT_EQ(trace->identity.comm, "python");
  EXPECT_EQ(trace->counts.invalid, 0u);
  EXPECT_EQ(Get<uint64_t>(kControl + offsetof(wire::RingControl, tail)), 3u);
  EXPECT_EQ(Get<uint64_t>(kControl + offsetof(wire::RingControl, tail_check)), ~3ull);
}

// ---- the file itself ----

TEST_F(DamageTest, WhatItsWriterHasNotFinishedIsToldFromWhatIsDamaged) {
  UniqueFd folder(open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto being_made = [&] {
    return UntrustedRingFile::IsBeingMade(folder.get(), kFile, geteuid());
  };
  EXPECT_FALSE(being_made()) << "it stands";
  Put(offsetof(wire::FileHeader, ready), uint32_t{2});
  EXPECT_FALSE(being_made()) << "damaged";
  Put(offsetof(wire::FileHeader, ready), uint32_t{0});
  EXPECT_TRUE(being_made());
  EXPECT_EQ(ftruncate(fd_.get(), 0), 0);
  EXPECT_TRUE(being_made()) << "just created";
  EXPECT_FALSE(UntrustedRingFile::IsBeingMade(folder.get(), kFile, geteuid() + 1));
  EXPECT_EQ(fchmod(fd_.get(), 0644), 0);
  EXPECT_FALSE(being_made()) << "none of ours";
  EXPECT_FALSE(UntrustedRingFile::IsBeingMade(folder.get(), "3.4.ring", geteuid()));
}

TEST_F(DamageTest, FilesThatAreNotPlainAndOursAreRefused) {
  EXPECT_TRUE(TryOpen().ok());
  chmod(Path().c_str(), 0640);
  EXPECT_FALSE(TryOpen().ok());
  chmod(Path().c_str(), 0600);
  UniqueFd folder(open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_FALSE(UntrustedRingFile::Open(folder.get(), kFile, geteuid() + 1).ok());
  ASSERT_EQ(symlink(kFile, (folder_.path() / "link.ring").c_str()), 0);
  EXPECT_FALSE(UntrustedRingFile::Open(folder.get(), "link.ring", geteuid()).ok());
  ASSERT_EQ(mkfifo((folder_.path() / "fifo.ring").c_str(), 0600), 0);
  EXPECT_FALSE(UntrustedRingFile::Open(folder.get(), "fifo.ring", geteuid()).ok());
  ASSERT_EQ(mkdir((folder_.path() / "folder.ring").c_str(), 0700), 0);
  EXPECT_FALSE(UntrustedRingFile::Open(folder.get(), "folder.ring", geteuid()).ok());
  EXPECT_FALSE(UntrustedRingFile::Open(folder.get(), "absent.ring", geteuid()).ok());
}

TEST_F(DamageTest, EveryLengthOfFileIsSurvived) {
  const uint64_t full = wire::RingOffset(2);
  for (uint64_t size :
       {0ull, 1ull, 12ull, 16ull, 255ull, 296ull, 4096ull, 4160ull, 36864ull, 65536ull, 65552ull,
        (unsigned long long)kRecord, kRecord + 40ull, (unsigned long long)full - 1}) {
    ASSERT_EQ(ftruncate(fd_.get(), static_cast<off_t>(size)), 0);
    EXPECT_FALSE(TryOpen().ok()) << size;
  }
}

TEST_F(DamageTest, ATruncationUnderTheReaderIsSurvived) {
  for (uint64_t size = wire::RingOffset(2); size > 0; size = size * 3 / 4) {
    ASSERT_EQ(ftruncate(fd_.get(), static_cast<off_t>(wire::RingOffset(2))), 0);
    Put(kControl, wire::RingControl{});
    auto file = TryOpen();
    if (!file.ok()) break;  // the header went with an earlier cut
    ASSERT_EQ(ftruncate(fd_.get(), static_cast<off_t>(size)), 0);
    ProcessTrace trace;
    DrainInto(*file, trace);
    ASSERT_EQ(ftruncate(fd_.get(), 0), 0);
    DrainInto(*file, trace);
    EXPECT_FALSE(file->Name(1).has_value());
    ASSERT_EQ(ftruncate(fd_.get(), static_cast<off_t>(size)), 0);
  }
}

// ---- every field in turn ----

struct Field {
  const char* name;
  uint64_t offset;
  int bytes;
};

#define FIELD(base, type, field)                                                      \
  Field {                                                                             \
#type "." #field, (base) + offsetof(wire::type, field), sizeof(wire::type::field) \
  }

const uint64_t kBadValues[] = {0,        1,          2,          3,          0x7F,  0x80,
                               0xFF,     4095,       4096,       65535,      65537, 1u << 20,
                               1u << 31, 0xFFFFFFFF, 1ull << 40, 1ull << 63, ~0ull, ~0ull - 1};

// Fields that make it another file: any value but the right one is refused.
TEST_F(DamageTest, WrongIdentityIsRefused) {
  const wire::FileHeader good = Get<wire::FileHeader>(0);
  for (const Field& field :
       {FIELD(0, FileHeader, magic), FIELD(0, FileHeader, version), FIELD(0, FileHeader, ready),
        FIELD(0, FileHeader, file_bytes), FIELD(0, FileHeader, ring_count)}) {
    for (uint64_t bad : kBadValues) {
      wire::FileHeader header = good;
      std::memcpy(reinterpret_cast<char*>(&header) + field.offset, &bad, field.bytes);
      if (std::memcmp(&header, &good, sizeof good) == 0) continue;
      Put(0, header);
      EXPECT_FALSE(TryOpen().ok()) << field.name << " = " << bad;
    }
  }
  Put(0, good);
  for (const Field& field : {FIELD(0, FileHeader, clock_source), FIELD(0, FileHeader, pid)}) {
    for (uint32_t bad : {0u, 0x80000000u, 0xFFFFFFFFu}) {
      Put(field.offset, bad);
      EXPECT_FALSE(TryOpen().ok()) << field.name << " = " << bad;
      Put(0, good);
    }
  }
}

// Fields that may say anything: what is read stays within the contract (checked by ReadAll).
TEST_F(DamageTest, OtherFieldsMayHoldAnyValue) {
  const Field fields[] = {
      FIELD(0, FileHeader, ppid),
      FIELD(0, FileHeader, start_time_ticks),
      FIELD(0, FileHeader, rank),
      FIELD(0, FileHeader, local_rank),
      FIELD(0, FileHeader, world_size),
      FIELD(0, FileHeader, inherited_names),
      FIELD(0, FileHeader, attach_clock),
      FIELD(0, FileHeader, attach_monotonic_ns),
      FIELD(0, FileHeader, disarmed),
      FIELD(0, FileHeader, rings_used),
      FIELD(0, FileHeader, pid_namespace),
      FIELD(0, FileHeader, arena_used),
      FIELD(0, FileHeader, dropped_names),
      FIELD(0, FileHeader, dropped_budget),
      FIELD(0, FileHeader, dropped_no_space),
      FIELD(0, FileHeader, dropped_nested),
      FIELD(kControl, RingControl, head),
      FIELD(kControl, RingControl, dropped_full),
      FIELD(kControl, RingControl, usable),
      FIELD(kControl, RingControl, tid),
      FIELD(kControl, RingControl, state),
      FIELD(kControl, RingControl, generation),
      FIELD(kControl, RingControl, tail),
      FIELD(kControl, RingControl, tail_check),
      FIELD(wire::kArenaOffset, NameHeader, bytes),
      FIELD(wire::kArenaOffset, NameHeader, category),
      FIELD(wire::kArenaOffset + 16, NameHeader, bytes),
      FIELD(kRecord, Record, tsc),
      FIELD(kRecord, Record, name),
      FIELD(kRecord, Record, kind),
      FIELD(kRecord, Record, flags),
      FIELD(kRecord, Record, category),
      FIELD(kRecord + 32, Record, a),
  };
  for (const Field& field : fields) {
    for (uint64_t bad : kBadValues) {
      const uint64_t good = Get<uint64_t>(field.offset / 8 * 8);
      const wire::RingControl control = Get<wire::RingControl>(kControl);
      ASSERT_EQ(pwrite(fd_.get(), &bad, field.bytes, static_cast<off_t>(field.offset)),
                field.bytes);
      SCOPED_TRACE(std::string(field.name) + " = " + std::to_string(bad));
      ReadAll();
      Put(kControl, control);
      Put(field.offset / 8 * 8, good);
    }
  }
  Put(kControl + offsetof(wire::RingControl, tail), uint64_t{0});
  EXPECT_EQ(ReadAll()->counts.records, 3u);  // the damage was undone each time
}

TEST_F(DamageTest, BadRecordsAreCountedAndTheRestIsRead) {
  Put(kRecord + offsetof(wire::Record, kind), uint8_t{wire::kLastRecordKind + 1});
  Put(kRecord + 32 + offsetof(wire::Record, a), uint64_t{3});  // a text that is not there
  const auto trace = ReadAll();
  EXPECT_EQ(trace->counts.records, 1u);
  EXPECT_EQ(trace->counts.invalid, 2u);
}

TEST_F(DamageTest, AHeadBeyondTheRingIsNotFollowed) {
  auto file = TryOpen();
  ASSERT_TRUE(file.ok());
  ProcessTrace trace;
  DrainInto(*file, trace);
  Put(kControl, uint64_t{1} << 40);
  DrainInto(*file, trace);
  EXPECT_EQ(trace.counts.records, 3u);
  EXPECT_EQ(trace.counts.invalid, 1u);
  Put(kControl, uint64_t{2});  // and back
  DrainInto(*file, trace);
  EXPECT_EQ(trace.counts.records, 3u);
}

TEST_F(DamageTest, CountersOnlyGrow) {
  auto file = TryOpen();
  ASSERT_TRUE(file.ok());
  Put(offsetof(wire::FileHeader, dropped_budget), uint64_t{10});
  Put(kControl + offsetof(wire::RingControl, dropped_full), uint64_t{20});
  file->thread_count();
  Put(offsetof(wire::FileHeader, dropped_budget), uint64_t{4});
  Put(kControl + offsetof(wire::RingControl, dropped_full), ~uint64_t{0});
  file->thread_count();
  EXPECT_EQ(file->counts().dropped_budget, 10u);
  EXPECT_EQ(file->counts().dropped_full, 20u);
}

TEST_F(DamageTest, WhatAnEarlierReaderDrainedIsNotReadAgain) {
  EXPECT_EQ(ReadAll()->counts.records, 3u);
  EXPECT_EQ(ReadAll()->counts.records, 0u);
}

TEST_F(DamageTest, DisarmReasonWithoutAnEndIsBounded) {
  char reason[sizeof(wire::FileHeader::disarm_reason)];
  std::memset(reason, 'r', sizeof reason);
  Put(offsetof(wire::FileHeader, disarm_reason), reason);
  Put(offsetof(wire::FileHeader, disarmed), uint32_t{1});
  EXPECT_EQ(ReadAll()->identity.disarm_reason, std::string(sizeof reason, 'r'));
}

// ---- damage at random, and all at once ----

TEST_F(DamageTest, RandomDamageKeepsTheContract) {
  std::mt19937_64 random(20261121);
  const wire::FileHeader header = Get<wire::FileHeader>(0);
  const wire::RingControl control = Get<wire::RingControl>(kControl);
  int read = 0;
  for (int round = 0; round < 3000; ++round) {
    for (int hits = 0; hits < 6; ++hits) {
      const uint64_t bases[] = {96, kControl, wire::kArenaOffset, kRecord};
      const uint64_t offset = bases[random() % 4] + random() % 200;
      Put(offset, static_cast<uint8_t>(random() % 3 == 0 ? random() : random() % 4));
    }
    read += ReadAll().has_value() ? 1 : 0;
    if (round % 10 == 0) {
      Put(0, header);
      Put(kControl, control);
    }
  }
  EXPECT_GT(read, 1000);
}

// A writer that tears and jumps while we read.
TEST_F(DamageTest, DamageWhileReadingKeepsTheContract) {
  std::atomic<bool> done{false};
  std::thread enemy([&] {
    std::mt19937_64 random(7);
    while (!done) {
      Put(kControl + random() % 64, static_cast<uint8_t>(random()));
      Put(wire::kArenaOffset + random() % 64, static_cast<uint8_t>(random() % 8));
      Put(kRecord + random() % 4096, static_cast<uint8_t>(random() % 4));
    }
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  auto file = TryOpen();
  ASSERT_TRUE(file.ok());
  std::vector<wire::Record> batch(1024);
  while (std::chrono::steady_clock::now() < end) {
    file->thread_count();
    for (int i = 0; i < 1000; ++i) {
      const size_t count = file->Drain(0, batch);
      if (count == 0) break;
      for (const wire::Record& record : std::span(batch).first(count)) {
        ASSERT_TRUE(record.kind >= 1 && record.kind <= wire::kLastRecordKind);
        ASSERT_TRUE(record.name >= 1 && record.name <= file->name_count());
      }
    }
    for (uint32_t id = 1; id <= file->name_count(); ++id) file->Name(id);
  }
  done = true;
  enemy.join();
}

// ---- throughput ----

// What else the machine does is not in it.
int64_t ThreadCpuNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

TEST(ReaderRateTest, DrainsAMillionRecordsASecond) {
  TestRingFolder folder;
  ASSERT_TRUE(Attach());
  const uint32_t name = Name("x", 1, static_cast<uint16_t>(wire::Category::kUser));
  UntrustedRingFile file = folder.OpenOnly();
  std::vector<wire::Record> batch(4096);
  constexpr uint64_t kRounds = 40;
  int64_t drain_ns = 0;
  for (uint64_t round = 0; round < kRounds; ++round) {
    for (uint64_t i = 0; i < wire::kLargeRingRecords; ++i) Instant(name, i, 0);
    const int64_t start_ns = ThreadCpuNs();
    file.thread_count();
    while (file.Drain(0, batch) > 0) {
    }
    drain_ns += ThreadCpuNs() - start_ns;
  }
  DetachForTesting();
  ASSERT_EQ(file.counts().records, kRounds * wire::kLargeRingRecords);
  const double per_second =
      static_cast<double>(file.counts().records) * 1e9 / static_cast<double>(drain_ns);
  RecordProperty("records_per_s", std::to_string(per_second));
  EXPECT_GT(per_second, 1e6);
}

}  // namespace
}  // namespace steptrace::transport
