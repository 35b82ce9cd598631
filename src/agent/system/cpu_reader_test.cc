// SPDX-License-Identifier: Apache-2.0
#include "agent/system/cpu_reader.h"

#include <gtest/gtest.h>

#include "testing/capturing_sink.h"
#include "testing/fake_proc.h"

namespace steptrace::agent {
namespace {

using namespace std::string_view_literals;
using store::Metric;
using testing::CapturingSink;
using testing::FakeTree;
using testing::SampleClock;

TEST(ParseProcStat, ReadsCoresAndRunning) {
  ProcStat stat;
  ParseProcStat(
      "cpu  10 2 3 40 5 6 7 8 9 1\n"
      "cpu0 1 2 3 4 5 6 7 8 9 10\n"
      "intr 12 0 0 cpu9\n"
      "procs_running 3\n",
      stat);
  ASSERT_EQ(stat.lines.size(), 2u);
  EXPECT_EQ(stat.lines[0].core, -1);
  EXPECT_EQ(stat.lines[1].core, 0);
  const CpuTimes& core = stat.lines[1].times;
  EXPECT_EQ(core.user, 3u) << "niced time is user time; guests are in it already";
  EXPECT_EQ(core.system, 16u) << "interrupts are system time";
  EXPECT_EQ(core.idle, 4u);
  EXPECT_EQ(core.iowait, 5u);
  EXPECT_EQ(core.steal, 8u);
  EXPECT_EQ(stat.running, 3u);
}

TEST(ParseProcStat, TakesTheColumnsOfOldKernels) {
  ProcStat stat;
  ParseProcStat("cpu0 1 2 3 4\n", stat);
  ASSERT_EQ(stat.lines.size(), 1u);
  EXPECT_EQ(stat.lines[0].times.idle, 4u);
  EXPECT_EQ(stat.lines[0].times.steal, 0u);
}

TEST(ParseProcStat, MaliceLeavesDamagedLinesOut) {
  ProcStat stat;
  ParseProcStat(
      "cpu0 1 2\ncpu1 1 2 3 x\ncpu2 99999999999999999999 2 3 4\ncpu-3 1 2 3 4\ncpux 1 2 3 4\n"
      "cpu99999999 1 2 3 4\ncpu 18446744073709551615 1 1 1\n\n\0\ncpu4 1 2 3 4"sv,
      stat);
  ASSERT_EQ(stat.lines.size(), 1u);
  EXPECT_EQ(stat.lines[0].core, 4);
  EXPECT_FALSE(stat.running);
}

TEST(ParseProcStat, MaliceSortsAndKeepsACoreOnce) {
  ProcStat stat;
  ParseProcStat("cpu5 1 1 1 1\ncpu2 1 1 1 1\ncpu5 9 9 9 9\n", stat);
  ASSERT_EQ(stat.lines.size(), 2u);
  EXPECT_EQ(stat.lines[0].core, 2);
  EXPECT_EQ(stat.lines[1].core, 5);
}

class CpuReaderTest : public ::testing::Test {
 protected:
  FakeTree proc_;
  CapturingSink sink_;
  SampleClock clock_;
  CpuReader reader_{proc_.root()};
};

TEST_F(CpuReaderTest, SharesAreGrowthOverAllGrowth) {
  proc_.Write("stat", "cpu 100 0 100 100 0 0 0 0\ncpu0 100 0 100 100 0 0 0 0\nprocs_running 5\n");
  clock_.Sample(reader_, sink_);
  EXPECT_FALSE(sink_.Has(Metric::kCpuBusyShare)) << "one reading makes no rate";
  EXPECT_EQ(sink_.Value(Metric::kCpuRunnable), 4) << "the reading thread itself runs";
  proc_.Write("stat", "cpu 120 10 110 130 20 0 0 10\ncpu0 150 0 100 150 0 0 0 0\n");
  clock_.Sample(reader_, sink_);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kCpuBusyShare), 0.5);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kCpuUserShare), 0.3);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kCpuSystemShare), 0.1);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kCpuIowaitShare), 0.2);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kCpuStealShare), 0.1);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kCoreBusyShare, 0), 0.5);
}

TEST_F(CpuReaderTest, CoresComeAndGo) {
  proc_.Write("stat", "cpu0 0 0 0 0\ncpu1 0 0 0 0\n");
  clock_.Sample(reader_, sink_);
  proc_.Write("stat", "cpu0 10 0 0 0\ncpu2 900 0 0 900\n");
  clock_.Sample(reader_, sink_);
  EXPECT_EQ(sink_.Value(Metric::kCoreBusyShare, 0), 1.0);
  EXPECT_FALSE(sink_.Has(Metric::kCoreBusyShare, 1));
  EXPECT_FALSE(sink_.Has(Metric::kCoreBusyShare, 2)) << "its first reading";
  proc_.Write("stat", "cpu0 20 0 0 0\ncpu1 0 0 0 0\ncpu2 900 0 0 910\n");
  clock_.Sample(reader_, sink_);
  EXPECT_EQ(sink_.Value(Metric::kCoreBusyShare, 2), 0.0);
  EXPECT_FALSE(sink_.Has(Metric::kCoreBusyShare, 1)) << "back again, its first reading";
}

TEST_F(CpuReaderTest, IowaitThatGoesBackwardsIsNoGrowth) {
  proc_.Write("stat", "cpu 0 0 0 100 50 0 0 0\n");
  clock_.Sample(reader_, sink_);
  proc_.Write("stat", "cpu 10 0 0 110 45 0 0 0\n");
  clock_.Sample(reader_, sink_);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kCpuBusyShare), 0.5);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kCpuIowaitShare), 0.0);
}

TEST_F(CpuReaderTest, NothingGrewYieldsNothing) {
  proc_.Write("stat", "cpu 1 1 1 1\n");
  clock_.Sample(reader_, sink_);
  clock_.Sample(reader_, sink_);
  EXPECT_FALSE(sink_.Has(Metric::kCpuBusyShare));
}

TEST_F(CpuReaderTest, AbsentFileIsToldOnce) {
  clock_.Sample(reader_, sink_);
  clock_.Sample(reader_, sink_);
  ASSERT_EQ(sink_.unavailable.size(), 1u);
  EXPECT_EQ(sink_.unavailable[0].source, "cpu");
  EXPECT_TRUE(sink_.samples.empty());
}

}  // namespace
}  // namespace steptrace::agent
