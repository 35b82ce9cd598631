// SPDX-License-Identifier: Apache-2.0
#include "agent/system/process_text.h"

#include <gtest/gtest.h>

namespace steptrace::agent {
namespace {

TEST(ProcessStatText, ReadsARecordedLine) {
  const auto stat = ParseProcessStat(
      "7886 (python3) R 7875 7875 2870 0 -1 4194304 101 0 3 0 120 30 7 2 20 0 9 0 208872 3133440 "
      "360 18446744073709551615 94265633337344 94265633357225 140729141711936 0 0 0 0 0 0 0 0 0 17 "
      "1 0 0 0 0 0\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->pid, 7886);
  EXPECT_EQ(stat->ppid, 7875);
  EXPECT_EQ(stat->state, 'R');
  EXPECT_EQ(stat->comm, "python3");
  EXPECT_EQ(stat->own_ticks, 150u);
  EXPECT_EQ(stat->children_ticks, 9u);
  EXPECT_EQ(stat->threads, 9u);
  EXPECT_EQ(stat->start_ticks, 208872u);
  EXPECT_EQ(stat->rss_pages, 360u);
}

TEST(ProcessStatText, MaliceTheNameMayHoldAnything) {
  const std::string rest = " S 1 1 1 0 -1 0 0 0 0 0 5 6 0 0 20 0 1 0 99 1000 10 0\n";
  for (const std::string name : {"a) R 2 (b", ") S 1 1", "x\ny", "", "((((", "))))"}) {
    const std::string text = "12 (" + name + ")" + rest;
    const auto stat = ParseProcessStat(text);
    ASSERT_TRUE(stat) << name;
    EXPECT_EQ(stat->comm, name);
    EXPECT_EQ(stat->ppid, 1);
    EXPECT_EQ(stat->own_ticks, 11u);
  }
}

TEST(ProcessStatText, MaliceDamage) {
  EXPECT_FALSE(ParseProcessStat(""));
  EXPECT_FALSE(ParseProcessStat("12 (python"));
  EXPECT_FALSE(ParseProcessStat(") 12 ("));
  EXPECT_FALSE(ParseProcessStat("12 (python) S 1 2 3"));
  EXPECT_FALSE(ParseProcessStat("x (python) S 1 1 1 0 -1 0 0 0 0 0 5 6 0 0 20 0 1 0 99 1000 10\n"));
  EXPECT_FALSE(
      ParseProcessStat("99999999999 (p) S 1 1 1 0 -1 0 0 0 0 0 5 6 0 0 20 0 1 0 9 1 10\n"));
}

TEST(ProcessStatText, NegativeCountsAreNone) {
  const auto stat =
      ParseProcessStat("1 (p) S 0 1 1 0 -1 0 0 0 0 0 5 -6 -1 0 20 0 1 0 99 1000 -3 0\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->own_ticks, 5u);
  EXPECT_EQ(stat->children_ticks, 0u);
  EXPECT_EQ(stat->rss_pages, 0u);
}

TEST(ProcessIoText, CancelledWritesAreNotWrites) {
  const auto io = ParseProcessIo(
      "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\n"
      "cancelled_write_bytes: 7\n");
  ASSERT_TRUE(io);
  EXPECT_EQ(io->read_bytes, 5u);
  EXPECT_EQ(io->write_bytes, 6u);
  EXPECT_FALSE(ParseProcessIo("read_bytes: 5\n"));
  EXPECT_FALSE(ParseProcessIo("read_bytes: x\nwrite_bytes: 6\n"));
}

TEST(SchedStatText, NeedsThreeNumbers) {
  const auto stat = ParseSchedStat("340022 294811 2\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->delay_ns, 294811u);
  EXPECT_EQ(stat->turns, 2u);
  EXPECT_FALSE(ParseSchedStat("340022 294811\n"));
  EXPECT_FALSE(ParseSchedStat(""));
}

TEST(TaskStatusText, TheNameCannotPassForACount) {
  const auto status = ParseTaskStatus(
      "Name:\tvoluntary_ctxt_switches: 9\nTgid:\t77\nvoluntary_ctxt_switches:\t5\n"
      "nonvoluntary_ctxt_switches:\t6\n");
  ASSERT_TRUE(status);
  EXPECT_EQ(status->process, 77);
  EXPECT_EQ(status->voluntary_switches, 5u);
  EXPECT_EQ(status->involuntary_switches, 6u);
  EXPECT_FALSE(ParseTaskStatus("Name: x\n"));
}

TEST(LoadAverageText, EndsWithTheLastId) {
  EXPECT_EQ(ParseLastPid("1.13 1.01 0.54 2/95 9089\n"), 9089);
  EXPECT_EQ(ParseLastPid("1.13 1.01 0.54 2/95\n"), std::nullopt);
  EXPECT_EQ(ParseLastPid(""), std::nullopt);
}

TEST(AllowedCoresText, OfAStatus) {
  EXPECT_EQ(
      ParseAllowedCores("Name:\tpython\nCpus_allowed:\t00000109\nCpus_allowed_list:\t0,3,8\n"),
      "0,3,8");
  EXPECT_EQ(ParseAllowedCores("Cpus_allowed_list:\t0-3"), "0-3");
  for (const char* text : {"", "Cpus_allowed:\tff\n", "Cpus_allowed_list:\t\n",
                           "Cpus_allowed_list:\t0x\n", "Name:\tCpus_allowed_list: 1\n"}) {
    EXPECT_FALSE(ParseAllowedCores(text)) << text;
  }
}

TEST(MemoryUse, OfAStatus) {
  const auto use = ParseMemoryUse(
      "Name:\tx\nVmRSS:\t  9 kB\nRssAnon:\t     7 kB\nRssFile:\t 2 kB\nRssShmem:\t 0 kB\n");
  ASSERT_TRUE(use);
  EXPECT_EQ(use->anon_bytes, 7 * 1024u);
  EXPECT_EQ(use->file_bytes, 2 * 1024u);
  EXPECT_EQ(use->shmem_bytes, 0u);
  EXPECT_FALSE(ParseMemoryUse("Name:\tkthreadd\n"));
  EXPECT_FALSE(ParseMemoryUse("RssAnon:\t 7 kB\nRssFile:\t 2 kB\n"));
  EXPECT_FALSE(
      ParseMemoryUse("RssAnon:\t 18446744073709551615 kB\nRssFile:\t 2 kB\nRssShmem:\t 0 kB\n"));
}

}  // namespace
}  // namespace steptrace::agent
