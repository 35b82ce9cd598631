// SPDX-License-Identifier: Apache-2.0
#include "analyze/ranks/collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;

CollectiveInfo InfoOf(const char* text) {
  store::StringTable strings;
  const Trace trace = DrawTrace(text, strings);
  const Collectives calls = ReadCollectives(trace);
  return calls.info(calls.of_rank.at(0).at(0));
}

TEST(CollectivesTest, TheKernelsArgumentsComeFirst) {
  const auto info = InfoOf(
      R"(s7 kernel ncclDevKernel_AllGather_RING_LL 0 10 details={"Collective name":"_allgather_base","In msg nelems":25136,"Out msg nelems":201088,"Group size":8,"dtype":"BFloat16","Process Group Name":"3","Process Group Ranks":"[0, 1, 2, 3, 4, 5, 6, 7]"})");
  EXPECT_EQ(info.name, "all_gather");
  EXPECT_EQ(info.group, "3");
  EXPECT_EQ(info.group_size, 8);
  EXPECT_EQ(info.bytes(), 402176);
}

TEST(CollectivesTest, OfHcclTheNameTellsTheGroup) {
  const auto info = InfoOf(
      R"(s4 kernel hcom_allReduce__868 0 10 seq=3 bytes=400 details={"data_type":"FP32","count":100})");
  EXPECT_EQ(info.name, "all_reduce");
  EXPECT_EQ(info.reported_name, "hcom_allReduce");
  EXPECT_EQ(info.group, "868");
  EXPECT_EQ(info.dtype, "FP32");
  EXPECT_EQ(info.bytes(), 400);
  EXPECT_EQ(CanonicalCollective("hcom_receive__868"), "recv");
}

TEST(CollectivesTest, MaliceArgumentsNestedWithoutEndTellNothing) {
  constexpr size_t kDeep = 500'000;
  const auto info = InfoOf((R"(s7 kernel nccl_x 0 10 details={"Process Group Ranks":)" +
                            std::string(kDeep, '[') + std::string(kDeep, ']') + "}")
                               .c_str());
  EXPECT_TRUE(info.ranks.empty());
}

TEST(CollectivesTest, TheOperatorThatLaunchedItTellsWhereTheKernelDoesNot) {
  const auto info = InfoOf(R"(
t1 op record_param_comms 0 30 ext=4 details={"Collective name":"allreduce","dtype":"BFloat16","In msg nelems":2873320,"Out msg nelems":2873320,"Process Group Name":"0","Process Group Ranks":"[0, 1, ...]","Global rank start":4,"Global rank stride":2,"Group size":3}
t1 runtime hipExtLaunchKernel 10 20 corr=9
s4 kernel ncclDevKernel_Generic 40 90 corr=9
)");
  EXPECT_EQ(info.name, "all_reduce");
  EXPECT_EQ(info.bytes(), 2 * 2873320);
  EXPECT_THAT(info.ranks, ElementsAre(4, 6, 8));
}

TEST(CollectivesTest, ShapesOfOldProfiles) {
  const auto info = InfoOf(R"(
t1 annotation nccl:all_reduce 0 40 details={"Input Dims":[[100]],"Input type":["float"]}
t1 op record_param_comms 5 30 details={"Input Dims":[[],[],[]],"Input type":["TensorList","Scalar","Scalar"]}
t1 runtime cudaLaunchKernel 10 20 corr=9
s84 kernel ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t 40 90 corr=9
)");
  EXPECT_EQ(info.name, "all_reduce");  // the annotation knows better than the kernel
  EXPECT_EQ(info.group, "");
  EXPECT_EQ(info.in_elements, 100);
  EXPECT_EQ(info.dtype, "float");
}

TEST(CollectivesTest, OfCoalescedCallsTheKernelTellsTheKind) {
  const auto kind = [](const std::string& kernel) {
    return InfoOf(
               ("s7 kernel " + kernel + R"( 0 10 details={"Collective name":"coalesced"})").c_str())
        .name;
  };
  EXPECT_EQ(kind("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL"), "reduce_scatter");
  EXPECT_EQ(kind("ncclDevKernel_Generic"), "coalesced");
}

TEST(CollectivesTest, AShortenedListOfRanksIsKeptApart) {
  const auto info = InfoOf(
      R"(s7 kernel nccl_x 0 10 details={"Process Group Ranks":"[0, 8, 16, ...]","Group size":64})");
  EXPECT_TRUE(info.ranks.empty());
  EXPECT_THAT(info.shown_ranks, ElementsAre(0, 8, 16));
}

TEST(CollectivesTest, NamesAndFactors) {
  EXPECT_EQ(CanonicalCollective("_reduce_scatter_base"), "reduce_scatter");
  EXPECT_EQ(CanonicalCollective("all_to_allv"), "all_to_all");
  EXPECT_EQ(CanonicalCollective("ncclDevKernel_Generic"), "");
  EXPECT_DOUBLE_EQ(BusFactor("all_reduce", 4), 1.5);
  EXPECT_DOUBLE_EQ(BusFactor("reduce_scatter", 4), 0.75);
  EXPECT_DOUBLE_EQ(BusFactor("barrier", 4), 0);
  EXPECT_EQ(ElementBytes("c10::BFloat16"), 2);
  EXPECT_EQ(ElementBytes("QInt"), kNone);
}

TEST(CollectivesTest, ArgumentsThatMakeNoSenseAreNoArguments) {
  const auto info = InfoOf(
      R"(s7 kernel nccl_x 0 10 details={"In msg nelems":9223372036854775807,"Out msg nelems":"many","dtype":"Double","Process Group Ranks":"[0, \"a\"]","Group size":-4})");
  EXPECT_EQ(info.bytes(), kNone);
  EXPECT_TRUE(info.ranks.empty());
}

}  // namespace
}  // namespace steptrace::analyze
