// SPDX-License-Identifier: Apache-2.0
#include "analyze/distributed/host_collectives.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analyze/distributed/distributed.h"
#include "model/finding_kinds.h"
#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kOneGroup =
    R"(fact job {"backend":"gloo","world_size":2,"pg_config":[{"pg_name":"0","ranks":[0,1]}]})"
    "\n";

ProfileDistributed OnHost(const std::string& text) {
  store::StringTable strings;
  const Trace trace = DrawTrace(text, strings);
  return BuildDistributed(trace);
}

// Rank 1 comes 150 late, for what it is in before its operators.
std::string LateRank(const std::string& what) {
  return kOneGroup + R"(rank 0
t1 step ProfilerStep#1 0 400
t1 op aten::mm 0 100
t1 op c10d::allreduce_ 100 105
t2 annotation gloo:all_reduce 110 300
t1 op aten::add_ 300 310
rank 1
t1 step ProfilerStep#1 0 400
)" + what +
         R"(
t1 op aten::mm 150 250
t1 op c10d::allreduce_ 250 255
t2 annotation gloo:all_reduce 260 300
t1 op aten::add_ 300 310
)";
}

TEST(HostCollectivesTest, AreMatchedAndBlamedAsThoseOfDevices) {
  const auto section = OnHost(LateRank("t1 annotation \"enumerate(DataLoader)#X.__next__\" 0 150"));
  EXPECT_EQ(section.status, DistributedStatus::kOk);
  ASSERT_EQ(section.collectives.size(), 1U);
  const CollectiveRow& row = section.collectives[0];
  EXPECT_EQ(row.name, "all_reduce");
  EXPECT_EQ(row.group, "0");
  EXPECT_EQ(row.group_size, 2);
  EXPECT_TRUE(row.complete);
  EXPECT_EQ(row.wait_ns, 150);
  EXPECT_EQ(row.transfer_ns, 40);
  EXPECT_EQ(row.last_rank, 1);
  EXPECT_EQ(row.step, 1);
  EXPECT_EQ(section.ranks[0].wait_ns, 150);
  // The window goes from the first work to the last: mm 100, add_ 10, all_reduce 190.
  EXPECT_EQ(section.ranks[0].times.total_ns, 310);
  EXPECT_EQ(section.ranks[0].times.computation_ns, 110);
  EXPECT_EQ(section.ranks[0].times.exposed_ns, 190);
  ASSERT_EQ(section.blame.size(), 1U);
  EXPECT_EQ(section.blame[0].rank, 1);
  EXPECT_EQ(section.blame[0].caused_wait_ns, 150);
  EXPECT_EQ(section.blame[0].cause, "data_wait");
}

TEST(HostCollectivesTest, AFunctionIsTheCauseWhereTheProfileNamesIt) {
  const auto section = OnHost(LateRank("t1 python \"train.py(7): augment\" 0 150"));
  ASSERT_EQ(section.blame.size(), 1U);
  EXPECT_EQ(section.blame[0].cause, "host_work");
  ASSERT_EQ(section.blame[0].parts.size(), 1U);
  EXPECT_EQ(section.blame[0].parts[0].name, "train.py(7): augment");
  EXPECT_EQ(section.blame[0].parts[0].ns, 150);
}

TEST(HostCollectivesTest, ComputingBesideOneIsOverlap) {
  const auto section = OnHost(kOneGroup + R"(rank 0
t1 op aten::mm 0 100
t2 annotation gloo:all_reduce 50 200
rank 1
t1 op aten::mm 0 100
t2 annotation gloo:all_reduce 50 200
)");
  EXPECT_EQ(section.ranks[1].times.computation_ns, 50);
  EXPECT_EQ(section.ranks[1].times.overlap_ns, 50);
  EXPECT_EQ(section.ranks[1].times.exposed_ns, 100);
  EXPECT_EQ(section.wait_ns, 0);
}

TEST(HostCollectivesTest, BatchPreparationIsNoComputing) {
  const auto section = OnHost(kOneGroup + R"(rank 0
t1 op "enumerate(DataLoader)#X.__next__" 0 60
t1 op aten::stack 10 50
t1 op aten::mm 60 100
t2 annotation gloo:all_reduce 100 200
)");
  EXPECT_EQ(section.ranks[0].times.computation_ns, 40);
}

TEST(HostCollectivesTest, DevicesThatCommunicateGoBefore) {
  const auto section = OnHost(kOneGroup + R"(rank 0
s9 kernel ncclDevKernel_AllReduce 100 200
t2 annotation gloo:barrier 0 100
rank 1
s9 kernel ncclDevKernel_AllReduce 100 200
t2 annotation gloo:barrier 0 100
)");
  ASSERT_EQ(section.collectives.size(), 1U);
  EXPECT_EQ(section.collectives[0].dur_ns, 100);
}

TEST(HostCollectivesTest, CallsOfSeveralGroupsAreUnmatched) {
  const auto section =
      OnHost(R"(fact job {"pg_config":[{"pg_name":"0","ranks":[0,1]},{"pg_name":"1","ranks":[0]}]})"
             "\nrank 0\nt2 annotation gloo:all_reduce 0 100\nrank 1\nt2 annotation gloo:all_reduce "
             "0 100\n");
  EXPECT_EQ(section.status, DistributedStatus::kNoCollectives);
  ASSERT_EQ(section.notes.size(), 1u);
  EXPECT_EQ(section.notes[0].kind, model::FindingKind::kNoteNoCollectives);
  EXPECT_EQ(std::get<bool>(section.notes[0].figures.at(0)), true) << "there are several groups";
}

TEST(HostCollectivesTest, PointToPointAloneGivesNoSection) {
  EXPECT_EQ(OnHost("rank 0\nt2 annotation gloo:send 0 100\n").status,
            DistributedStatus::kNoCollectives);
  const auto none = OnHost("rank 0\nt1 op aten::mm 0 100\n");
  ASSERT_EQ(none.notes.size(), 1u);
  EXPECT_EQ(std::get<bool>(none.notes[0].figures.at(0)), false);
}

TEST(HostCollectivesTest, WithoutGroupsInTheMetadataTheyAreOne) {
  const auto section = OnHost(
      "rank 0\nt2 annotation gloo:all_reduce 0 100\nrank 1\nt2 annotation gloo:all_reduce 40 "
      "100\n");
  ASSERT_EQ(section.collectives.size(), 1U);
  EXPECT_EQ(section.wait_ns, 40);
}

}  // namespace
}  // namespace steptrace::analyze
