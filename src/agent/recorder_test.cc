// SPDX-License-Identifier: Apache-2.0
#include "agent/recorder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "agent/process.h"
#include "base/time.h"
#include "store/run_reader.h"
#include "wire/ring_layout.h"

namespace steptrace::agent {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kFileBytes = wire::RingOffset(2);

struct Writer {
  int32_t pid = getpid();
  uint64_t start_ticks = ReadProcessIdentity(getpid())->start_time_ticks;
  uint32_t pid_namespace = OwnPidNamespace();
};

// A ring file, by default of this process, written as a training writes it, with one thread beside
// the main one.
class RingByHand {
 public:
  explicit RingByHand(const fs::path& folder, const Writer& writer = {}) {
    const std::string name =
        std::to_string(writer.pid) + "." + std::to_string(writer.start_ticks) + ".ring";
    fd_ = UniqueFd(open((folder / name).c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
    EXPECT_EQ(ftruncate(fd_.get(), static_cast<off_t>(kFileBytes)), 0);
    wire::FileHeader header{};
    header.magic = wire::kMagic;
    header.version = wire::kVersion;
    header.ready = 1;
    header.file_bytes = kFileBytes;
    header.ring_count = 2;
    header.rings_used = 2;
    header.clock_source = static_cast<uint32_t>(wire::ClockSource::kMonotonic);
    header.pid = writer.pid;
    header.start_time_ticks = writer.start_ticks;
    header.pid_namespace = writer.pid_namespace;
    header.rank = header.local_rank = header.world_size = -1;
    const wire::NameHeader name_header{4, static_cast<uint16_t>(wire::Category::kUser), 0};
    header.arena_used = wire::NameEntryBytes(4);
    Put(wire::kArenaOffset, name_header);
    Put(wire::kArenaOffset + sizeof name_header, std::array<char, 4>{'o', 'p', 'e', 'n'});
    control_.usable = wire::kCommitRecords;
    control_.tid = 7;
    control_.state = static_cast<uint32_t>(wire::RingState::kActive);
    control_.generation = 1;
    Put(0, header);
  }

  void Begin() {
    const auto now_ns = static_cast<uint64_t>(MonotonicNowNs());
    Put(wire::RingOffset(1) + control_.head * sizeof(wire::Record),
        wire::MakeRecord(wire::RecordKind::kBegin, now_ns, 1, 0, 0, 0));
    control_.head += 1;
    PutControl();
  }
  void EndThread() {
    control_.state = static_cast<uint32_t>(wire::RingState::kEnded);
    PutControl();
  }

 private:
  template <class Value>
  void Put(uint64_t offset, const Value& value) {
    ASSERT_EQ(pwrite(fd_.get(), &value, sizeof value, static_cast<off_t>(offset)),
              static_cast<ssize_t>(sizeof value));
  }
  // The producer's line alone.
  void PutControl() {
    constexpr uint64_t kOffset = wire::kControlOffset + sizeof(wire::RingControl);
    std::array<char, offsetof(wire::RingControl, tail)> line;
    std::memcpy(line.data(), &control_, line.size());
    Put(kOffset, line);
  }

  UniqueFd fd_;
  wire::RingControl control_{};
};

TEST(Recorder, KeepsTheRangesThatAThreadLeftOpen) {
  char name[] = "/tmp/steptrace-recorder-XXXXXX";
  const fs::path base = mkdtemp(name);
  const fs::path rings = base / "rings";
  fs::create_directory(rings);
  store::WriterOptions options;
  options.sync_interval_ms = 0;
  auto writer = store::RunWriter::Create(base / "run", {}, options);
  ASSERT_TRUE(writer.ok());
  auto watch = RingWatch::Open(rings);
  ASSERT_TRUE(watch.ok());
  const int64_t epoch_ns = MonotonicNowNs();
  const auto now_ns = [&] { return MonotonicNowNs() - epoch_ns; };
  Recorder recorder(*writer, *std::move(watch), 0, epoch_ns);

  RingByHand ring(rings);
  ring.Begin();
  EXPECT_EQ(recorder.DrainAll(now_ns(), true).records, 1);
  ring.EndThread();
  recorder.DrainAll(now_ns(), false);
  recorder.DrainAll(now_ns(), false);
  recorder.Finish(now_ns());
  ASSERT_TRUE(writer->Flush().ok());

  auto reader = store::RunReader::Open(base / "run");
  ASSERT_TRUE(reader.ok());
  const auto slices = reader->Read<store::SliceRow>();
  ASSERT_TRUE(slices.ok());
  ASSERT_EQ(slices->size(), 1u);
  EXPECT_EQ(reader->Text(slices->front().name), "open");
  fs::remove_all(base);
}

// How many processes may still write of a ring whose writer is dead when it is first seen.
int64_t LivingBesideTheDead(uint32_t pid_namespace) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t info{};
  EXPECT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  const Writer dead{child, ReadProcessIdentity(child)->start_time_ticks, pid_namespace};
  waitpid(child, nullptr, 0);

  char name[] = "/tmp/steptrace-recorder-XXXXXX";
  const fs::path base = mkdtemp(name);
  fs::create_directory(base / "rings");
  store::WriterOptions options;
  options.sync_interval_ms = 0;
  auto writer = store::RunWriter::Create(base / "run", {}, options);
  const int64_t epoch_ns = MonotonicNowNs();
  Recorder recorder(*writer, *RingWatch::Open(base / "rings"), 0, epoch_ns);
  RingByHand ring(base / "rings", dead);
  ring.Begin();
  EXPECT_EQ(recorder.DrainAll(MonotonicNowNs() - epoch_ns, true).records, 1);
  const Recorder::Living living = recorder.CountLiving(MonotonicNowNs() - epoch_ns);
  recorder.Finish(MonotonicNowNs() - epoch_ns);
  fs::remove_all(base);
  return living.training + living.others;
}

TEST(Recorder, WaitsOnlyForTheDeadWhomItCouldNotHaveSeen) {
  ASSERT_NE(OwnPidNamespace(), 0u);
  EXPECT_EQ(LivingBesideTheDead(OwnPidNamespace()), 0) << "ended before it was first seen";
  EXPECT_EQ(LivingBesideTheDead(OwnPidNamespace() - 1), 1) << "of another namespace";
  EXPECT_EQ(LivingBesideTheDead(0), 1) << "of one that is not known";
}

}  // namespace
}  // namespace steptrace::agent
