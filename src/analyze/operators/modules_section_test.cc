// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/modules_section.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analyze/operators/module_tree.h"
#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;

class ModulesTest : public ::testing::Test {
 protected:
  RankModules Build(std::string_view text) {
    return BuildModules(DrawTrace(text, strings_)).ranks.front();
  }
  store::StringTable strings_;
};

// "  name times operators: host total/self device total/self", indented by depth
std::vector<std::string> Rows(const RankModules& modules) {
  std::vector<std::string> rows;
  for (const ModuleRow& row : modules.rows) {
    rows.push_back(fmt::format("{:{}}{} x{} {}: {}/{} {}/{}", "", row.depth * 2, row.name,
                               row.occurrences.value_or(-1), row.forward.operators,
                               row.forward.host_total_ns, row.forward.host_self_ns,
                               row.forward.device_total_ns, row.forward.device_self_ns));
  }
  return rows;
}

constexpr const char* kNet = R"(
t1 python "train.py(3): <module>" 0 500
t1 python "nn.Module: Net_0" 10 200
t1 python "net.py(9): forward" 11 190
t1 python "nn.Module: Linear_0" 20 80
t1 op aten::linear 30 70 flow_out=1
t1 op aten::addmm 35 60 ext=1
t1 runtime cudaLaunchKernel 40 45 corr=1 ext=1
s7 kernel gemm 50 150 corr=1
t1 python "nn.Module: Linear_1" 90 100
t1 op aten::relu 120 130 ext=2 flow_out=2
t1 runtime cudaLaunchKernel 121 122 corr=2 ext=2
s7 kernel relu 150 157 corr=2
t1 python "nn.Module: Net_0" 300 320
)";

TEST_F(ModulesTest, TreeOfRanges) {
  const RankModules modules = Build(kNet);
  EXPECT_EQ(modules.source, ModuleSource::kRanges);
  EXPECT_THAT(Rows(modules),
              ElementsAre("Net_0 x2 1: 210/140 107/7", "  Linear_0 x1 1: 60/60 100/100",
                          "  Linear_1 x1 0: 10/10 0/0"));
  EXPECT_TRUE(modules.has_backward);
  EXPECT_EQ(modules.rows[1].parent, 0);
}

TEST_F(ModulesTest, BackwardByFlows) {
  const RankModules modules = Build(std::string(kNet) + R"(
t2 op "autograd::engine::evaluate_function: AddmmBackward0" 400 450
t2 op AddmmBackward0 410 440 flow_in=1 ext=3
t2 runtime cudaLaunchKernel 420 425 corr=3 ext=3
s7 kernel gemm 430 480 corr=3
t2 op "autograd::engine::evaluate_function: ReluBackward0" 450 460 flow_in=2
)");
  const ModuleTimes& net = modules.rows[0].backward;
  EXPECT_EQ(net.operators, 1);
  EXPECT_EQ(net.host_total_ns, 60);
  EXPECT_EQ(net.host_self_ns, 10);
  EXPECT_EQ(net.device_total_ns, 50);
  const ModuleTimes& linear = modules.rows[1].backward;
  EXPECT_EQ(linear.host_self_ns, 50);
  EXPECT_EQ(linear.device_self_ns, 50);
}

TEST_F(ModulesTest, ModuleNumberFromDetails) {
  EXPECT_THAT(Rows(Build(R"(
t1 python "nn.Module: Conv2d" 0 10 details={"Python module id":3}
t1 python "nn.Module: Conv2d" 10 30 details={"Python module id":4}
t1 python "nn.Module: Conv2d_4" 30 31 details={"Python module id":4}
)")),
              ElementsAre("Conv2d_3 x1 0: 10/10 0/0", "Conv2d_4 x2 0: 21/21 0/0"));
}

TEST_F(ModulesTest, PerStepAverages) {
  const RankModules modules = Build(std::string(kNet) + R"(
t1 step ProfilerStep#0 0 250
t1 step ProfilerStep#1 250 500
)");
  ModulesSection section;
  section.ranks.push_back(modules);
  const auto json = ModulesJson(section);
  EXPECT_EQ(json[0]["per_step"]["host_total_ns"], 105);
  EXPECT_EQ(json[1]["parent"], 0);
  EXPECT_EQ(json[0]["parent"], nullptr);
}

TEST_F(ModulesTest, HierarchyOfOperators) {
  const RankModules modules = Build(R"(
t1 op aten::conv2d 0 10 details={"Module Hierarchy":"Net.layer1"}
t1 op aten::relu 10 15 details={"Module Hierarchy":"Net"}
)");
  EXPECT_EQ(modules.source, ModuleSource::kHierarchy);
  EXPECT_THAT(Rows(modules), ElementsAre("Net x-1 1: 15/5 0/0", "  layer1 x-1 1: 10/10 0/0"));
}

TEST_F(ModulesTest, StacksOfOperators) {
  const RankModules modules = Build(R"(
t1 op aten::conv2d 0 10 details={"Call stack":"/t/nn/modules/conv.py(440): _conv_forward;/t/nn/modules/conv.py(443): forward;/t/nn/modules/module.py(1051): _call_impl;/v/resnet.py(232): _forward_impl;/v/resnet.py(249): forward;/t/nn/modules/module.py(1051): _call_impl;train.py(46): <module>"}
t1 op aten::convolution 2 8 details={"Call stack":"/t/nn/modules/conv.py(443): forward"}
t1 op aten::add 20 25 details={"Call stack":"train.py(47): <module>"}
)");
  EXPECT_EQ(modules.source, ModuleSource::kStacks);
  EXPECT_THAT(Rows(modules), ElementsAre("resnet (train.py:46) x-1 0: 10/0 0/0",
                                         "  conv (resnet.py:232) x-1 1: 10/10 0/0"));
  EXPECT_EQ(modules.rows[1].module, "conv");
}

TEST_F(ModulesTest, NoSourceNoRows) {
  const RankModules modules = Build("t1 op aten::add 0 10\n");
  EXPECT_EQ(modules.source, ModuleSource::kNothing);
  EXPECT_TRUE(modules.rows.empty());
}

TEST(ModulePaths, OddFramesAreHarmless) {
  EXPECT_THAT(StackPath(R"({"Call stack":";;forward;x(): forward;"})"),
              ElementsAre(CalledModule{"x"}));
  EXPECT_THAT(StackPath("{"), ElementsAre());
  EXPECT_THAT(HierarchyPath(R"({"Module Hierarchy":"A..B"})"),
              ElementsAre(CalledModule{"A"}, CalledModule{"B"}));
}

}  // namespace
}  // namespace steptrace::analyze
