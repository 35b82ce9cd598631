// SPDX-License-Identifier: Apache-2.0
#include "transport/writer/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <fstream>
#include <latch>
#include <thread>

#include "testing/rings.h"
#include "wire/vocabulary.h"

namespace steptrace::transport {
namespace {

using testing::DrainAll;
using testing::DrainInto;
using testing::ProcessTrace;
using testing::TestRingFolder;
using testing::WhyNotNested;
using wire::RecordKind;

constexpr auto kUser = static_cast<uint16_t>(wire::Category::kUser);
constexpr auto kPhase = static_cast<uint16_t>(wire::Category::kPhase);
constexpr auto kFact = static_cast<uint16_t>(wire::Category::kFact);

uint32_t NameOf(const std::string& text, uint16_t category = kUser) {
  return Name(text.data(), text.size(), category);
}

class WriterTest : public ::testing::Test {
 protected:
  ~WriterTest() override {
    DetachForTesting();
    unsetenv("STEPTRACE_RING_BUDGET_BYTES");
  }

  TestRingFolder folder_;
};

// ---- what is recorded ----

TEST_F(WriterTest, RangesInstantsAndCountersArriveAsSaid) {
  ASSERT_TRUE(Attach());
  const uint32_t outer = NameOf("outer"), inner = NameOf("inner", kPhase);
  Begin(outer, 1, 2);
  Begin(inner);
  Instant(outer, 7, ~0ull);
  Counter(inner, -1.5);
  End(3, 4);
  End();
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  ASSERT_EQ(trace.threads.size(), 1u);
  const auto& records = trace.threads[0].records;
  ASSERT_EQ(records.size(), 6u);
  EXPECT_EQ(WhyNotNested(records), "");
  EXPECT_EQ(trace.NameOf(records[0]), "outer");
  EXPECT_EQ(records[0].a, 1u);
  EXPECT_EQ(records[0].b, 2u);
  EXPECT_EQ(records[1].category, kPhase);
  EXPECT_EQ(records[2].kind, static_cast<uint8_t>(RecordKind::kInstant));
  EXPECT_EQ(records[2].b, ~0ull);
  EXPECT_EQ(std::bit_cast<double>(records[3].a), -1.5);
  EXPECT_EQ(trace.NameOf(records[4]), "inner");
  EXPECT_EQ(records[4].a, 3u);
  EXPECT_EQ(trace.threads[0].tid, gettid());
}

TEST_F(WriterTest, HeaderSaysWhoWrites) {
  setenv("RANK", "3", 1);
  setenv("LOCAL_RANK", "1", 1);
  setenv("WORLD_SIZE", "x", 1);
  ASSERT_TRUE(Attach());
  for (const char* name : {"RANK", "LOCAL_RANK", "WORLD_SIZE"}) unsetenv(name);
  const RingIdentity identity = folder_.OpenOnly().identity();
  EXPECT_EQ(identity.pid, getpid());
  EXPECT_EQ(identity.ppid, getppid());
  EXPECT_EQ(identity.rank, 3);
  EXPECT_EQ(identity.local_rank, 1);
  EXPECT_EQ(identity.world_size, -1);
  EXPECT_GT(identity.start_time_ticks, 0u);
  EXPECT_GT(identity.attach_monotonic_ns, 0u);
  EXPECT_NE(identity.comm, "");
}

TEST_F(WriterTest, FactsAreTextsInTheArena) {
  ASSERT_TRUE(Attach());
  const std::string json = R"({"workers": 2, "dataset": "Bücher"})";
  Fact("loader", 6, json.data(), json.size());
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  const wire::Record& record = trace.threads.at(0).records.at(0);
  EXPECT_EQ(record.kind, static_cast<uint8_t>(RecordKind::kPayload));
  EXPECT_EQ(trace.NameOf(record), "loader");
  EXPECT_EQ(trace.names.at(record.a - 1).text, json);
}

TEST_F(WriterTest, NameZeroRecordsNothingAndTakesItsEndWithIt) {
  ASSERT_TRUE(Attach());
  const uint32_t name = NameOf("kept");
  Begin(name);
  Begin(0);
  Instant(0, 0, 0);
  End();
  End();
  End();  // one too many
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  EXPECT_EQ(trace.threads.at(0).records.size(), 2u);
  EXPECT_EQ(WhyNotNested(trace.threads[0].records), "");
}

TEST_F(WriterTest, PausedRangesAreLeftOutWhole) {
  ASSERT_TRUE(Attach());
  const uint32_t name = NameOf("r"), paused = NameOf("paused");
  Begin(name);
  Pause(true);
  Begin(paused);
  Instant(paused, 0, 0);
  Pause(false);
  Begin(name);
  End();
  End();  // of the paused one
  Pause(true);
  End();  // of the first: begun before the pause
  Pause(false);
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  EXPECT_EQ(trace.threads.at(0).records.size(), 4u);
  EXPECT_EQ(WhyNotNested(trace.threads[0].records), "");
  EXPECT_EQ(trace.CountOf("paused", RecordKind::kBegin), 0u);
}

TEST_F(WriterTest, CpuRangesMeasureTheThread) {
  ASSERT_TRUE(Attach());
  const uint32_t busy = NameOf("busy"), idle = NameOf("idle");
  BeginCpu(busy);
  const uint64_t from = ClockTicks();
  timespec start, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((now.tv_sec - start.tv_sec) * 1'000'000'000 + now.tv_nsec - start.tv_nsec < 20'000'000);
  BeginCpu(idle);
  usleep(20'000);
  EndCpu();
  EndCpu();
  EXPECT_GT(ClockTicks(), from);
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  const auto& records = trace.threads.at(0).records;
  ASSERT_EQ(records.size(), 4u);
  EXPECT_LT(records[2].a, 10'000'000u);  // idle
  EXPECT_GE(records[3].a, 20'000'000u);  // busy
  EXPECT_LT(records[3].a, 500'000'000u);
}

// ns that this thread has waited for a core so far.
uint64_t WaitedNs() {
  std::ifstream file("/proc/thread-self/schedstat");
  uint64_t on_core = 0, waited = 0;
  file >> on_core >> waited;
  return waited;
}

TEST_F(WriterTest, CpuRangesTellTheWaitForACore) {
  if (!std::ifstream("/proc/thread-self/schedstat")) GTEST_SKIP() << "the kernel does not tell";
  ASSERT_TRUE(Attach());
  const uint32_t alone = NameOf("alone"), crowded = NameOf("crowded");
  constexpr uint64_t kBusyNs = 30'000'000;
  BeginCpu(alone);  // reads all there is: the ranges below must not keep to it
  EndCpu();
  cpu_set_t one, all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  std::atomic<bool> stop = false;
  std::thread rival([&] {  // inherits the one core
    while (!stop) {
    }
  });
  for (int i = 0; i < 3; ++i) {
    const uint64_t before = WaitedNs();
    BeginCpu(crowded);
    timespec start, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do {
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (static_cast<uint64_t>((now.tv_sec - start.tv_sec) * 1'000'000'000 + now.tv_nsec -
                                   start.tv_nsec) < kBusyNs);
    EndCpu();
    Instant(crowded, WaitedNs() - before, 0);
  }
  stop = true;
  rival.join();
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  const auto& records = trace.threads.at(0).records;
  ASSERT_EQ(records.size(), 2u + 3 * 3);
  for (size_t i = 2; i < records.size(); i += 3) {
    const uint64_t reported_ns = records[i + 1].b, waited_ns = records[i + 2].a;
    EXPECT_GT(reported_ns, kBusyNs / 10) << "half of the core was the rival's";
    EXPECT_LE(reported_ns, waited_ns + 20'000) << "and no more than there was";
  }
}

TEST_F(WriterTest, FactsArriveWhilePausedEvenAsTheFirstRecord) {
  ASSERT_TRUE(Attach());
  Pause(true);
  Fact("job", 3, "{}", 2);
  Begin(NameOf("paused"));
  End();
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  ASSERT_EQ(trace.threads.size(), 1u);
  EXPECT_EQ(trace.threads[0].records.size(), 1u);
}

// ---- what is lost is counted ----

TEST_F(WriterTest, FullRingDropsTheNewestAndCounts) {
  ASSERT_TRUE(Attach());
  const uint32_t name = NameOf("x");
  constexpr uint64_t kPairs = wire::kLargeRingRecords;
  for (uint64_t i = 0; i < kPairs; ++i) {
    Begin(name, i);
    End();
  }
  UntrustedRingFile file = folder_.OpenOnly();
  ProcessTrace trace;
  DrainInto(file, trace);
  EXPECT_EQ(trace.counts.records, wire::kLargeRingRecords);
  EXPECT_EQ(trace.counts.dropped_full, kPairs * 2 - wire::kLargeRingRecords);
  EXPECT_EQ(trace.threads[0].records[0].a, 0u);  // the oldest stay
  Instant(name, 99, 0);
  DrainInto(file, trace);
  EXPECT_EQ(trace.threads[0].records.back().a, 99u);
  EXPECT_EQ(trace.threads[0].records.back().flags, wire::kFlagAfterLoss);
}

TEST_F(WriterTest, RoomForManyIsThreeQuartersOfTheRingAtMost) {
  ASSERT_TRUE(Attach());
  EXPECT_TRUE(HasRoomForMany(1)) << "without a ring nobody can tell";
  EXPECT_EQ(RecordsWithoutRoom(), 0u);
  const uint32_t name = NameOf("x");
  for (uint32_t i = 0; i < wire::kLargeRingRecords / 4; ++i) Instant(name, i, 0);
  EXPECT_TRUE(HasRoomForMany(UINT64_MAX));
  Instant(name, 0, 0);
  EXPECT_FALSE(HasRoomForMany(UINT64_MAX));
  EXPECT_TRUE(HasRoomForMany(1000));
  EXPECT_EQ(RecordsWithoutRoom(), 0u);
  for (uint32_t i = 0; i < wire::kLargeRingRecords; ++i) Instant(name, i, 0);
  EXPECT_EQ(RecordsWithoutRoom(), wire::kLargeRingRecords / 4 + 1);
  EXPECT_FALSE(HasRoomForMany(1000));
  UntrustedRingFile file = folder_.OpenOnly();
  ProcessTrace trace;
  DrainInto(file, trace);
  EXPECT_TRUE(HasRoomForMany(UINT64_MAX));
}

TEST_F(WriterTest, EndsOfRecordedBeginsAlwaysFindRoom) {
  ASSERT_TRUE(Attach());
  const uint32_t outer = NameOf("outer"), inner = NameOf("inner"), mark = NameOf("mark");
  for (int i = 0; i < 10; ++i) Begin(outer);
  for (uint32_t i = 0; i < 2 * wire::kLargeRingRecords; ++i) {
    Begin(inner);
    Instant(mark, i, 0);
    End();
  }
  for (int i = 0; i < 10; ++i) End();
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  EXPECT_EQ(WhyNotNested(trace.threads.at(0).records), "");
  EXPECT_EQ(trace.CountOf("outer", RecordKind::kEnd), 10u);
  EXPECT_EQ(trace.CountOf("inner", RecordKind::kBegin), trace.CountOf("inner", RecordKind::kEnd));
  EXPECT_EQ(trace.counts.records + trace.counts.dropped_full,
            20 + 3ull * 2 * wire::kLargeRingRecords);
}

TEST_F(WriterTest, RangesDeeperThanTheRecordCanSayAreDropped) {
  ASSERT_TRUE(Attach());
  const uint32_t name = NameOf("deep");
  for (int i = 0; i < 100; ++i) Begin(name);
  for (int i = 0; i < 100; ++i) End();
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  EXPECT_EQ(trace.counts.records, 2 * wire::kMaxDepth);
  EXPECT_EQ(trace.counts.dropped_nested, 2 * (100 - wire::kMaxDepth));
  EXPECT_EQ(WhyNotNested(trace.threads.at(0).records), "");
}

// ---- threads come and go ----

TEST_F(WriterTest, ManyThreadsAndAReaderLoseNothingThatIsNotCounted) {
  ASSERT_TRUE(Attach());
  UntrustedRingFile file = folder_.OpenOnly();
  ProcessTrace trace;
  std::atomic<bool> done{false};
  std::thread reader([&] {
    while (!done) DrainInto(file, trace);
  });
  constexpr int kRounds = 20, kThreads = 8, kPairs = 3000;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([i] {
        const uint32_t name = NameOf("thread " + std::to_string(i));
        for (uint64_t pair = 0; pair < kPairs; ++pair) {
          Begin(name, pair);
          End(pair);
        }
      });
    }
    for (auto& thread : threads) thread.join();
  }
  done = true;
  reader.join();
  DrainInto(file, trace);
  const DrainCounts& counts = trace.counts;
  EXPECT_EQ(counts.records + counts.dropped_full + counts.dropped_budget,
            uint64_t{kRounds} * kThreads * kPairs * 2);
  EXPECT_EQ(counts.invalid, 0u);
  EXPECT_EQ(trace.names.size(), size_t{kThreads});
  EXPECT_GT(file.thread_count(), int{wire::kLargeRings});
  for (int ring = wire::kLargeRings; ring < file.thread_count(); ++ring) {
    EXPECT_TRUE(file.ThreadEnded(ring));
  }
  for (const auto& thread : trace.threads) {
    EXPECT_EQ(WhyNotNested(thread.records), "");
  }
}

std::atomic<uint32_t> g_signal_name{0};
void OnSignal(int) {
  Begin(g_signal_name);
  End();
}

TEST_F(WriterTest, SignalHandlersMayRecordAtAnyMoment) {
  ASSERT_TRUE(Attach());
  const uint32_t name = NameOf("main");
  g_signal_name = NameOf("handler");
  struct sigaction action {
  }, old{};
  action.sa_handler = OnSignal;
  sigaction(SIGALRM, &action, &old);
  itimerval every{{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &every, nullptr);
  UntrustedRingFile file = folder_.OpenOnly();
  ProcessTrace trace;
  for (int batch = 0; batch < 40; ++batch) {
    for (int i = 0; i < 5000; ++i) {
      Begin(name);
      End();
    }
    DrainInto(file, trace);
  }
  every = {};
  setitimer(ITIMER_REAL, &every, nullptr);
  sigaction(SIGALRM, &old, nullptr);
  DrainInto(file, trace);
  EXPECT_EQ(trace.CountOf("main", RecordKind::kBegin), 200'000u);
  EXPECT_EQ(WhyNotNested(trace.threads.at(0).records), "");
}

// ---- names ----

TEST_F(WriterTest, NamesKeepTheirBytesAndAreCutAtCharacters) {
  ASSERT_TRUE(Attach());
  const std::string control("a\0b\n\x1b[31m\xff", 10);
  const std::string cut = std::string(wire::kMaxNameBytes - 1, 'x') + "ü" + "tail";
  EXPECT_EQ(NameOf(control), 1u);
  EXPECT_EQ(NameOf(cut), 2u);
  EXPECT_EQ(NameOf(control, kPhase), 3u);  // another category is another name
  EXPECT_EQ(NameOf(control), 1u);
  EXPECT_EQ(NameOf(""), 4u);
  EXPECT_EQ(NameOf(""), 4u);
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  ASSERT_EQ(trace.names.size(), 4u);
  EXPECT_EQ(trace.names[3].text, wire::kNoName);
  EXPECT_EQ(trace.counts.dropped_names, 0u);
  EXPECT_EQ(trace.names[0].text, control);
  EXPECT_EQ(trace.names[1].text, std::string(wire::kMaxNameBytes - 1, 'x'));
}

TEST_F(WriterTest, HundredThousandNamesFit) {
  ASSERT_TRUE(Attach());
  constexpr uint32_t kNames = 100'000;
  for (uint32_t i = 0; i < kNames; ++i) ASSERT_EQ(NameOf("user/name/" + std::to_string(i)), i + 1);
  for (uint32_t i = 0; i < kNames; i += 997) {
    ASSERT_EQ(NameOf("user/name/" + std::to_string(i)), i + 1);
  }
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  ASSERT_EQ(trace.names.size(), kNames);
  EXPECT_EQ(trace.names[kNames - 1].text, "user/name/99999");
}

TEST_F(WriterTest, AFullArenaStillTakesTheHooksFacts) {
  ASSERT_TRUE(Attach());
  const std::string padding(1000, 'n');
  uint32_t i = 0;
  while (NameOf(std::to_string(i) + padding) != 0) ++i;
  EXPECT_GT(i, 3000u);
  EXPECT_NE(NameOf("{\"workers\": 2}", kFact), 0u);
  EXPECT_EQ(NameOf(std::string(wire::kMaxFactBytes + 1, 'f'), kFact), 0u);
  EXPECT_EQ(DrainAll(folder_.OpenOnly()).counts.dropped_names, 2u);
}

// ---- places where there is nothing to record into ----

TEST_F(WriterTest, WithoutTheVariableNothingHappensUntilItIsThere) {
  unsetenv("STEPTRACE_RING_DIR");
  EXPECT_FALSE(Attach());
  EXPECT_EQ(NameOf("x"), 0u);
  Begin(1);
  End();
  setenv("STEPTRACE_RING_DIR", folder_.path().c_str(), 1);
  EXPECT_TRUE(Attach());
}

TEST_F(WriterTest, FoldersThatOthersCanWriteAreRefused) {
  chmod(folder_.path().c_str(), 0770);
  EXPECT_FALSE(Attach());
  EXPECT_TRUE(folder_.Files("").empty());
}

TEST_F(WriterTest, LinksAreNotFollowed) {
  const std::string link = folder_.path() / "link";
  ASSERT_EQ(symlink(folder_.path().c_str(), link.c_str()), 0);
  setenv("STEPTRACE_RING_DIR", link.c_str(), 1);
  EXPECT_FALSE(Attach());
}

TEST_F(WriterTest, ALimitOnFileSizesIsNotRunInto) {
  rlimit old;
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit small{1 << 20, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_FALSE(Attach());  // else SIGXFSZ had ended us
  setrlimit(RLIMIT_FSIZE, &old);
}

TEST_F(WriterTest, DisarmLeavesItsReason) {
  ASSERT_TRUE(Attach());
  const uint32_t name = NameOf("x");
  Begin(name);
  Disarm("hook backward: no such attribute");
  Begin(name);
  End();
  End();
  EXPECT_FALSE(Attach());
  EXPECT_EQ(NameOf("y"), 0u);
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  EXPECT_EQ(trace.identity.disarm_reason, "hook backward: no such attribute");
  EXPECT_EQ(trace.threads.at(0).records.size(), 2u);  // what was open is closed
}

}  // namespace
}  // namespace steptrace::transport
