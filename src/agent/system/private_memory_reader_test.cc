// SPDX-License-Identifier: Apache-2.0
#include "agent/system/private_memory_reader.h"

#include <gtest/gtest.h>

#include "agent/system/process_text.h"
#include "testing/capturing_sink.h"
#include "testing/fake_proc.h"

namespace steptrace::agent {
namespace {

using store::Metric;

constexpr int64_t kMs = 1'000'000;

TEST(RollupPace, TheSecondComesWhenItCanBePaidAndAfterASecondAtLeast) {
  struct Case {
    int64_t took_ns;
    int64_t next_ns;  // since it began
  };
  // Of 20 ms that are saved at first, 14 are spent: 8 more are saved in 8 s.
  for (const Case& one : {Case{0, 1000 * kMs}, Case{3 * kMs, 1000 * kMs},
                          Case{14 * kMs, 8000 * kMs}, Case{20 * kMs, 20'000 * kMs}}) {
    RollupPace pace;
    EXPECT_TRUE(pace.IsDue(5 * kMs)) << "the first";
    pace.Took(5 * kMs, one.took_ns);
    EXPECT_FALSE(pace.IsDue(5 * kMs + one.next_ns - 1)) << one.took_ns;
    EXPECT_TRUE(pace.IsDue(5 * kMs + one.next_ns)) << one.took_ns;
  }
}

TEST(RollupPace, AThousandthOfAnyTimeAndOneLongestReadMore) {
  for (const int64_t took_ns : {kMs / 2, 3 * kMs, 7 * kMs, 14 * kMs, 20 * kMs}) {
    RollupPace pace;
    int64_t all_ns = 0, since_pause_ns = 0;
    // An hour without a read saves no more than one: they do not come in a bunch after it.
    for (int64_t s = 0; s < 3800; ++s) {
      if (!pace.IsDue(s * 1000 * kMs) || (s >= 100 && s < 3700)) continue;
      pace.Took(s * 1000 * kMs, took_ns);
      (s < 100 ? all_ns : since_pause_ns) += took_ns;
      EXPECT_LE(s < 100 ? all_ns : since_pause_ns, (s < 100 ? s : s - 3700) * kMs + 20 * kMs);
    }
    if (took_ns > kMs) EXPECT_GE(all_ns, 90 * kMs) << "and not much less";
  }
}

TEST(RollupPace, IsFullWhenTheLongestReadIsSavedAgain) {
  RollupPace pace;
  EXPECT_TRUE(pace.IsFull(0));
  pace.Took(0, 5 * kMs);
  EXPECT_FALSE(pace.IsFull(4999 * kMs));
  pace.Took(2000 * kMs, 5 * kMs);
  EXPECT_FALSE(pace.IsFull(9999 * kMs));
  EXPECT_TRUE(pace.IsFull(10'000 * kMs));
}

TEST(RollupPace, AfterASlowReadThereIsNoOther) {
  RollupPace pace;
  pace.Took(0, 20 * kMs);
  EXPECT_FALSE(pace.stopped());
  pace.Took(0, 20 * kMs + 1);
  pace.Took(0, 0);
  EXPECT_TRUE(pace.stopped());
  EXPECT_FALSE(pace.IsDue(INT64_MAX));
}

TEST(SmapsRollupText, OfAProcess) {
  const auto held = ParseSmapsRollup(
      "55d0-7ffd ---p 00000000 00:00 0  [rollup]\nRss:  1000 kB\nPss:   600 kB\nPss_Dirty:  1 kB\n"
      "Private_Clean:   7 kB\nPrivate_Dirty:   300 kB\nReferenced:   1 kB\n");
  ASSERT_TRUE(held);
  EXPECT_EQ(held->pss_bytes, 600u * 1024);
  EXPECT_EQ(held->private_dirty_bytes, 300u * 1024);
  for (const char* text : {"", "Pss: 1 kB\n", "Private_Dirty: 1 kB\n",
                           "Pss: 1 kB\nPrivate_Dirty: 18446744073709551615 kB\n"}) {
    EXPECT_FALSE(ParseSmapsRollup(text)) << text;
  }
}

class PrivateMemoryTest : public ::testing::Test {
 protected:
  void Process(int pid, int private_kib, uint64_t faults = 0) {
    proc_.WriteProcess({.pid = pid, .start_ticks = 7, .minor_faults = faults});
    proc_.Write(std::to_string(pid) + "/smaps_rollup",
                "Pss:   9 kB\nPrivate_Dirty:   " + std::to_string(private_kib) + " kB\n");
  }
  void Sample(double seconds = 1.0) { clock_.Sample(reader_, sink_, seconds, job_); }
  std::optional<double> Of(int pid) const {
    return sink_.Value(Metric::kProcessPrivateDirty, -1, pid);
  }

  testing::FakeTree proc_;
  int64_t read_ns_ = kMs;  // that each takes
  int64_t time_ns_ = 0;
  bool second_ = false;
  PrivateMemoryReader reader_{proc_.root(), [this] {
                                second_ = !second_;
                                return time_ns_ += second_ ? 0 : read_ns_;
                              }};
  std::vector<JobRoot> job_{{.pid = 100, .start_ticks = 7}};
  testing::CapturingSink sink_;
  testing::SampleClock clock_;
};

TEST_F(PrivateMemoryTest, OneWorkerAtATimeAndTheSameUntilItHasFivePoints) {
  for (int pid : {100, 101, 102}) Process(pid, pid);
  job_.push_back({.pid = 102, .start_ticks = 7, .worker = true});
  job_.push_back({.pid = 101, .start_ticks = 7, .worker = true});
  Sample();
  EXPECT_EQ(Of(101), 101 * 1024);
  EXPECT_FALSE(Of(102));
  EXPECT_FALSE(Of(100)) << "no worker: it may have mapped very much";
  EXPECT_EQ(sink_.Value(Metric::kProcessPss, -1, 101), 9 * 1024);
  Sample(0.5);
  EXPECT_TRUE(sink_.samples.empty()) << "not due";
  Sample(0.5);
  for (int read = 2; read <= 5; ++read, Sample()) EXPECT_TRUE(Of(101)) << read;
  for (int read = 1; read <= 5; ++read, Sample()) EXPECT_EQ(Of(102), 102 * 1024) << read;
  EXPECT_TRUE(Of(101)) << "in turns";
}

TEST_F(PrivateMemoryTest, OneThatHasGrownLetsTheNextHaveItsTurn) {
  for (int pid : {101, 102}) {
    Process(pid, 33 << 10);
    job_.push_back({.pid = pid, .start_ticks = 7, .worker = true});
  }
  Sample();
  Process(101, 96 << 10);
  Sample();
  EXPECT_TRUE(Of(101));
  Process(101, 97 << 10);
  Sample();
  EXPECT_TRUE(Of(101)) << "63 MiB were too little";
  Sample();
  EXPECT_TRUE(Of(102));
}

// A worker that copies 12 MiB a second, whose pages are walked in 12 ms. Two reads as early as they
// can be had would lie too near each other, and the third comes after its epoch.
TEST_F(PrivateMemoryTest, LongReadsAreTwoFarEnoughApartToTellGrowthInAShortRun) {
  job_ = {{.pid = 101, .start_ticks = 7, .worker = true}};
  read_ns_ = 12 * kMs;
  std::vector<double> read;
  for (int s = 0; s < 16; ++s) {
    Process(101, (33 + 12 * s) << 10, static_cast<uint64_t>(12 * s) * 256);
    Sample();
    if (const auto bytes = Of(101)) read.push_back(*bytes);
  }
  ASSERT_EQ(read.size(), 2u);
  EXPECT_GE(read[1] - read[0], 64 << 20);
}

TEST_F(PrivateMemoryTest, LongReadsOfAWorkerWithoutFaultsComeWhenNothingIsSavedByWaiting) {
  Process(101, 33 << 10);
  job_ = {{.pid = 101, .start_ticks = 7, .worker = true}};
  read_ns_ = 8 * kMs;
  Sample();
  EXPECT_TRUE(Of(101));
  for (int s = 1; s < 8; ++s) {
    Sample();
    EXPECT_FALSE(Of(101)) << s;
  }
  Sample();
  EXPECT_TRUE(Of(101));
}

TEST_F(PrivateMemoryTest, OneThatEndsLetsTheNextHaveItsTurn) {
  Process(102, 5);
  for (int pid : {101, 102}) job_.push_back({.pid = pid, .start_ticks = 7, .worker = true});
  Sample();
  EXPECT_TRUE(sink_.samples.empty()) << "it has no status";
  Sample();
  EXPECT_TRUE(Of(102));
}

TEST_F(PrivateMemoryTest, SlowReadEndsTheReading) {
  Process(101, 5);
  job_ = {{.pid = 101, .start_ticks = 7, .worker = true}};
  read_ns_ = 23 * kMs;
  Sample();
  EXPECT_TRUE(Of(101));
  ASSERT_NE(sink_.Unavailable("worker memory"), nullptr);
  EXPECT_NE(sink_.Unavailable("worker memory")->reason.find("took 23 ms"), std::string::npos);
  Sample(1e6);
  EXPECT_FALSE(Of(101));
}

TEST_F(PrivateMemoryTest, ALaterProcessOfThePidIsNoWorker) {
  Process(101, 5);
  job_ = {{.pid = 101, .start_ticks = 8, .worker = true}};
  Sample();
  EXPECT_TRUE(sink_.samples.empty());
}

}  // namespace
}  // namespace steptrace::agent
