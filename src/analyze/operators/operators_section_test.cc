// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/operators_section.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "name calls: host total/self, device total/self"
std::string Text(const std::string& name, const OperatorSums& sums) {
  return fmt::format("{} {}: {}/{} {}/{}", name, sums.calls, sums.host_total_ns, sums.host_self_ns,
                     sums.device_total_ns, sums.device_self_ns);
}

class OperatorsTest : public ::testing::Test {
 protected:
  OperatorsSection Build(std::string_view text) {
    return BuildOperators(DrawTrace(text, strings_));
  }
  std::vector<std::string> Rows(std::string_view text) {
    std::vector<std::string> rows;
    for (const OperatorRow& row : Build(text).rows) rows.push_back(Text(row.name, row.sums));
    return rows;
  }

  store::StringTable strings_;
};

TEST_F(OperatorsTest, SelfIsWithoutNestedOperatorsAndRuntimeCalls) {
  EXPECT_THAT(Rows(R"(
t1 op aten::linear 0 100
t1 op aten::mm 10 60 ext=1
t1 runtime cudaLaunchKernel 20 30 corr=1 ext=1
t1 runtime cudaLaunchKernel 70 75 corr=2
s7 kernel gemm 40 90 corr=1
s7 memset Memset 90 97 corr=2
)"),
              ElementsAre("aten::mm 1: 50/40 50/50", "aten::linear 1: 100/45 57/7"));
}

TEST_F(OperatorsTest, PythonBetweenOperatorsDoesNotCut) {
  EXPECT_THAT(Rows(R"(
t1 op outer 0 100
t1 python "layer.py(1): forward" 10 90
t1 op inner 20 50
t1 runtime cudaLaunchKernel 30 40 corr=1
s7 kernel k 60 61 corr=1
)"),
              ElementsAre("inner 1: 30/20 1/1", "outer 1: 100/70 1/0"));
}

TEST_F(OperatorsTest, AnnotationsCutAndAreNoRows) {
  const OperatorsSection section = Build(R"(
t1 op c10d::allreduce_ 0 100
t1 annotation nccl:all_reduce 10 90 ext=5
t1 runtime cudaLaunchKernel 20 30 corr=1 ext=5
s7 kernel ncclKernel 40 60 corr=1
t2 runtime cudaLaunchKernel 20 30 corr=2
s7 kernel alone 60 63 corr=2
)");
  ASSERT_EQ(section.rows.size(), 1U);
  EXPECT_EQ(Text("", section.rows[0].sums), " 1: 100/20 20/0");
  EXPECT_EQ(section.totals[0].device_outside_ns, 23);
}

TEST_F(OperatorsTest, OwnTimeInStepsIsAMeanOfThem) {
  const OperatorsSection section = Build(R"(
t1 step ProfilerStep#3 0 100
t1 op aten::mm 10 50
t1 step ProfilerStep#4 100 201
t1 op aten::mm 110 131
t1 op aten::mm 300 307
)");
  ASSERT_EQ(section.rows.size(), 1U);
  const OperatorRow& row = section.rows[0];
  EXPECT_EQ(row.sums.host_self_ns, 68);
  EXPECT_EQ(row.sums.host_self_in_steps_ns, 61) << "the third call is in no step";
  nlohmann::ordered_json report;
  AddOperatorsJson(section, report);
  const auto& json = report["operators"][0];
  EXPECT_EQ(json["host_self_per_step_ns"], 31) << "30.5";
  EXPECT_DOUBLE_EQ(json["host_self_step_share"].get<double>(), 61.0 / 201);
  EXPECT_EQ(report["operator_totals"][0]["steps"], 2);
  EXPECT_EQ(report["operator_totals"][0]["steps_ns"], 201);
}

TEST_F(OperatorsTest, WithoutStepsNothingIsOfThem) {
  const OperatorsSection section = Build("t1 op aten::mm 10 50\n");
  nlohmann::ordered_json report;
  AddOperatorsJson(section, report);
  EXPECT_TRUE(report["operators"][0]["host_self_per_step_ns"].is_null());
  EXPECT_TRUE(report["operators"][0]["host_self_step_share"].is_null());
}

// torch-tb-profiler's rule for wrappers; two nested ones are two calls.
TEST_F(OperatorsTest, OnlyNestedCallOfTheSameNameIsOneCall) {
  EXPECT_THAT(Rows(R"(
t1 op aten::empty 0 100
t1 op aten::empty 10 90 ext=1
t1 runtime cudaMalloc 20 50 ext=1 corr=1
s7 kernel k 60 70 corr=1
)"),
              ElementsAre("aten::empty 1: 100/70 10/10"));
  EXPECT_THAT(Rows(R"(
t1 op a 0 100
t1 op a 10 20
t1 op a 30 40
)"),
              ElementsAre("a 3: 120/100 0/0"));
}

TEST_F(OperatorsTest, OverlapByRoundingCutsOnce) {
  EXPECT_THAT(Rows(R"(
t1 op outer 0 100
t1 op a 10 30
t1 op b 29 50
)"),
              ElementsAre("outer 1: 100/60 0/0", "b 1: 21/21 0/0", "a 1: 20/20 0/0"));
}

TEST_F(OperatorsTest, LeavesOutWrappers) {
  EXPECT_THAT(Rows(R"(
t1 op DistributedDataParallel.forward 0 100
t1 op Optimizer.step#SGD.step 100 200
t1 op aten::add_ 110 120
t2 op aten::copy_ 0 5
)"),
              ElementsAre("aten::add_ 1: 10/10 0/0", "aten::copy_ 1: 5/5 0/0"));
}

TEST_F(OperatorsTest, ByShapeAndByStack) {
  const OperatorsSection section = Build(R"(
t1 op aten::mm 0 10 details={"Input Dims":[[2,3],[3,4]],"Call stack":"a.py(1): f;b.py(2): g"}
t1 op aten::mm 10 30 details={"Input type":["float"],"Input Dims":[[2,3],[3,4]]}
t1 op aten::mm 30 35 details={"Input Dims":[[1],[1]]}
)");
  ASSERT_EQ(section.rows.size(), 1U);
  const OperatorRow& row = section.rows[0];
  ASSERT_EQ(row.shapes.size(), 2U);
  EXPECT_EQ(Text(row.shapes[0].key, row.shapes[0].sums), "[[2,3],[3,4]] 2: 30/30 0/0");
  EXPECT_EQ(Text(row.shapes[1].key, row.shapes[1].sums), "[[1],[1]] 1: 5/5 0/0");
  EXPECT_DOUBLE_EQ(row.shapes[1].host_self_share, 5.0 / 35);
  ASSERT_EQ(row.stacks.size(), 1U);
  EXPECT_DOUBLE_EQ(row.stacks[0].host_self_share, 10.0 / 35);
  nlohmann::ordered_json report;
  AddOperatorsJson(section, report);
  const auto& json = report["operators"];
  EXPECT_EQ(json[0]["stacks"][0]["call_stack"].dump(), R"(["a.py(1): f","b.py(2): g"])");
  EXPECT_EQ(json[0]["stacks"][0]["user_frame"], 0);
  EXPECT_EQ(json[0]["shapes"][0]["input_shapes"].dump(), "[[2,3],[3,4]]");
  EXPECT_EQ(json[0]["shapes"][0]["host_self_share"], row.shapes[0].host_self_share);
}

TEST_F(OperatorsTest, OfAStackTheInnermostFrameOfTheScriptIsTold) {
  const OperatorsSection section = Build(R"(
t1 op aten::mm 0 40 details={"Call stack":"<built-in function linear>;torch/nn/linear.py(1): forward;train.py(9): main;other.py(2): f"}
t1 op aten::mm 50 60 details={"Call stack":"/env/lib/python3.12/site-packages/x/y.py(3): g;queue.py(171): get"}
)");
  nlohmann::ordered_json report;
  AddOperatorsJson(section, report);
  const auto& stacks = report["operators"][0]["stacks"];
  ASSERT_EQ(stacks.size(), 2U);
  EXPECT_EQ(stacks[0]["user_frame"], 2);
  EXPECT_EQ(stacks[1]["user_frame"], nullptr);
}

TEST_F(OperatorsTest, TensorCoresOfKernelTimeAlone) {
  const OperatorsSection section = Build(R"(
t1 op wrapper 0 100
t1 op aten::mm 10 60
t1 runtime cudaLaunchKernel 20 30 corr=1
t1 runtime cudaLaunchKernel 31 35 corr=2
t1 runtime cudaMemcpyAsync 36 40 corr=3
s7 kernel volta_fp16_s884gemm_fp16 40 70 corr=1
s7 kernel reduce 70 80 corr=2
s7 memcpy Memcpy 80 180 corr=3
t1 op aten::add 200 210
)");
  ASSERT_EQ(section.rows.size(), 3U);
  const OperatorSums& mm = section.rows[0].sums;
  EXPECT_TRUE(mm.tensor_core_eligible);
  EXPECT_EQ(mm.tensor_core_self_share(), 0.75);
  EXPECT_TRUE(section.rows[1].sums.tensor_core_eligible);  // what nests in it is
  EXPECT_EQ(section.rows[1].sums.tensor_core_total_share(), 0.75);
  EXPECT_EQ(section.rows[1].sums.tensor_core_self_share(), std::nullopt);
  EXPECT_FALSE(section.rows[2].sums.tensor_core_eligible);
}

TEST_F(OperatorsTest, RanksApartAndTogether) {
  const OperatorsSection section = Build(R"(
t1 op a 0 10
rank 1
t1 op a 0 30
t1 op b 40 50
)");
  ASSERT_EQ(section.rows.size(), 3U);
  EXPECT_EQ(section.rows[0].rank, 0);
  EXPECT_EQ(section.rows[1].host_self_share, 0.75);
  ASSERT_EQ(section.all_ranks.size(), 2U);
  EXPECT_EQ(Text("", section.all_ranks[0].sums), " 2: 40/40 0/0");
}

TEST_F(OperatorsTest, EmptyTraceGivesNoRows) {
  EXPECT_THAT(Build("").rows, IsEmpty());
}

}  // namespace
}  // namespace steptrace::analyze
