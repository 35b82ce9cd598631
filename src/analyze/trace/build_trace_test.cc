// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyze/trace/trace.h"
#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;

class BuildTraceTest : public ::testing::Test {
 protected:
  RankTrace Draw(std::string_view text) { return DrawRank(text, strings_); }
  std::string Name(const RankTrace& trace, int32_t host) const {
    return host == kNone ? "-" : strings_.Text(trace.host[static_cast<size_t>(host)].name);
  }
  // "child<parent" of each host event.
  std::vector<std::string> Parents(const RankTrace& trace) const {
    std::vector<std::string> texts;
    for (const TraceEvent& event : trace.host) {
      texts.push_back(strings_.Text(event.name) + "<" + Name(trace, event.parent));
    }
    return texts;
  }

  store::StringTable strings_;
};

TEST_F(BuildTraceTest, HostEventsNestWithinTheirLane) {
  const RankTrace trace = Draw(R"(
t2 op other 10 20
t1 op inner 10 20
t1 op outer 0 100
t1 op last 20 100
t1 op innermost 10 15
)");
  EXPECT_THAT(Parents(trace),
              ElementsAre("other<-", "outer<-", "inner<outer", "innermost<inner", "last<outer"));
}

TEST_F(BuildTraceTest, WhatPokesOutOfItsParentBelongsToWhatEnclosesBoth) {
  EXPECT_THAT(Parents(Draw(R"(
t1 op outer 0 100
t1 op a 10 20
t1 op b 15 25
t1 op c 18 22
)")),
              ElementsAre("outer<-", "a<outer", "b<outer", "c<b"));
}

TEST_F(BuildTraceTest, AMomentAtTheEndOfAnEventIsStillInIt) {
  EXPECT_THAT(Parents(Draw("t1 op a 0 10\nt1 op moment 10 10\n")), ElementsAre("a<-", "moment<a"));
  EXPECT_THAT(Parents(Draw("t1 op a 0 10\nt1 op moment 10 10\nt1 op b 10 20\n")),
              ElementsAre("a<-", "b<-", "moment<b"));
}

// StepTraceAnnotation of JAX and TensorFlow. The loop makes the batch before the mark begins.
TEST_F(BuildTraceTest, StepsThatTheScriptMarksBeginWhereTheOneBeforeEnds) {
  const RankTrace trace = Draw(R"(
t1 cat:step_annotation train 10 20 details={"step_num":"4"}
t1 annotation load 20 30
t1 cat:step_annotation train 30 40 details={"step_num":5}
t1 cat:step_annotation train 70 80 details={"step_num":"9"}
t1 cat:step_annotation train 90 95 details={"step_num":"x"}
t1 cat:step_annotation train 96 97
)");
  std::vector<std::vector<int64_t>> steps;
  for (const TraceStep& step : trace.steps) {
    steps.push_back({step.number, step.ts_ns, step.end_ns()});
  }
  EXPECT_THAT(steps,
              ElementsAre(ElementsAre(4, 10, 20), ElementsAre(5, 20, 40), ElementsAre(9, 70, 80)));
  EXPECT_EQ(trace.host[1].step, 1);
}

// StepTraceAnnotation of each micro-batch, or of each epoch, around that of the step.
TEST_F(BuildTraceTest, MarksWithinAStepAreItsPart) {
  const auto numbers = [this](const char* text) {
    const RankTrace trace = Draw(text);
    std::vector<int64_t> all = {trace.nested_marks};
    for (const TraceStep& step : trace.steps) all.push_back(step.number);
    return all;
  };
  EXPECT_THAT(numbers(R"(
t1 cat:step_annotation train 10 50 details={"step_num":"7"}
t1 cat:step_annotation micro 10 30 details={"step_num":"0"}
t1 cat:step_annotation micro 30 50 details={"step_num":"1"}
t1 cat:step_annotation train 60 90 details={"step_num":"8"}
t1 cat:step_annotation micro 70 80 details={"step_num":"0"}
t2 cat:step_annotation other 20 40 details={"step_num":"7"}
)"),
              ElementsAre(3, 7, 7, 8))
      << "another thread's are its own";
  EXPECT_THAT(numbers(R"(
t1 cat:step_annotation epoch 0 100 details={"step_num":"0"}
t1 cat:step_annotation train 10 50 details={"step_num":"7"}
t1 cat:step_annotation train 50 90 details={"step_num":"8"}
)"),
              ElementsAre(1, 7, 8));
  EXPECT_THAT(numbers(R"(
t1 cat:step_annotation epoch 0 100 details={"step_num":"0"}
t1 step ProfilerStep#3 10 50
t1 cat:step_annotation micro 20 30 details={"step_num":"0"}
t1 step ProfilerStep#4 50 90
)"),
              ElementsAre(2, 3, 4));
  EXPECT_THAT(numbers(R"(
t1 step ProfilerStep#3 10 90
t1 cat:step_annotation micro 20 40 details={"step_num":"0"}
t1 cat:step_annotation micro 40 60 details={"step_num":"1"}
)"),
              ElementsAre(2, 3))
      << "a window of one step";
  EXPECT_THAT(numbers("t1 step ProfilerStep#3 10 90\nt1 step ProfilerStep#4 50 80\n"),
              ElementsAre(0, 3, 4))
      << "the profiler has one at a time: that cannot be";
}

// torch_npu: the training thread leaves a call to another thread, which launches it.
TEST_F(BuildTraceTest, WhatAnotherThreadLaunchesIsOfTheOperatorThatLeftItToThat) {
  const RankTrace trace = Draw(R"(
t1 op aten::mm 10 50
t1 cat:enqueue Enqueue 20 25 corr=7
t1 op aten::add 50 60
t2 cat:dequeue Dequeue@aclnnMm 60 90 corr=7
t2 cat:cann_runtime HostToDevice 70 70 corr=900
t2 cat:dequeue Dequeue@unknown 95 99 corr=8
t2 cat:cann_runtime HostToDevice 96 96 corr=901
s2 kernel aclnnMm 100 150 corr=900
s2 kernel other 150 160 corr=901
)");
  ASSERT_EQ(trace.device.size(), 2u);
  EXPECT_EQ(Name(trace, trace.device[0].launch), "HostToDevice");
  EXPECT_EQ(Name(trace, trace.device[0].op), "aten::mm");
  EXPECT_EQ(Name(trace, trace.device[1].launch), "HostToDevice");
  EXPECT_EQ(Name(trace, trace.device[1].op), "-");
}

TEST_F(BuildTraceTest, DeviceWorkFindsItsLaunchOperatorAndStep) {
  const RankTrace trace = Draw(R"(
t1 step ProfilerStep#7 0 100
t1 op aten::mm 10 50 ext=3
t1 runtime cudaLaunchKernel 20 30 corr=1 ext=3
t1 op nested 60 90 ext=4
t1 runtime cudaLaunchKernel 70 75 corr=2
s7 kernel gemm 130 150 corr=1
s7 kernel relu 150 160 corr=2
s7 kernel alone 165 170 corr=99
s7 kernel inside 80 81
)");
  ASSERT_EQ(trace.steps.size(), 1u);
  EXPECT_EQ(trace.steps[0].number, 7);
  std::vector<std::string> texts;
  for (const TraceEvent& event : trace.device) {
    texts.push_back(strings_.Text(event.name) + ":" + Name(trace, event.launch) + ":" +
                    Name(trace, event.op) + ":" + std::to_string(event.step));
  }
  EXPECT_THAT(texts, ElementsAre("inside:-:-:0", "gemm:cudaLaunchKernel:aten::mm:0",
                                 "relu:cudaLaunchKernel:nested:0", "alone:-:-:-1"));
}

TEST_F(BuildTraceTest, AnExternalIdOfAnOperatorElsewhereIsNoLink) {
  const RankTrace trace = Draw(R"(
t1 op early 0 10 ext=7
t1 op around 20 50 ext=8
t1 runtime cudaLaunchKernel 30 35 corr=7 ext=7
t2 op other 30 50 ext=9
t1 runtime cudaLaunchKernel 36 40 corr=9 ext=9
s7 kernel k 60 70 corr=7
s7 kernel k 70 80 corr=9
t1 runtime cudaLaunchKernel 60 65 corr=8 ext=8
s7 kernel k 80 90 corr=8 ext=8
s7 kernel k 90 95 corr=99 ext=8
)");
  EXPECT_EQ(Name(trace, trace.device[0].op), "around");
  EXPECT_EQ(Name(trace, trace.device[1].op), "around");
  EXPECT_EQ(Name(trace, trace.device[2].op), "-");
  EXPECT_EQ(Name(trace, trace.device[3].op), "around");  // no launch to hold against it
}

TEST_F(BuildTraceTest, OfTwoCallsWithOneCorrelationTheFirstByTimeIsTheLaunch) {
  const RankTrace trace = Draw(R"(
t2 runtime later 20 25 corr=5
t1 runtime earlier 30 35 corr=5
t3 runtime first 10 15 corr=5
s7 kernel k 40 50 corr=5
)");
  EXPECT_EQ(Name(trace, trace.device[0].launch), "first");
}

TEST_F(BuildTraceTest, AnnotationsOnTheDeviceAreNoSteps) {
  const RankTrace trace = Draw(R"(
t1 step ProfilerStep#2 100 200
t1 step ProfilerStep#1 0 100
s7 gpu_annotation ProfilerStep#1 50 150
)");
  ASSERT_EQ(trace.steps.size(), 2u);
  EXPECT_EQ(trace.steps[0].number, 1);
  EXPECT_EQ(trace.device[0].kind, EventKind::kDeviceAnnotation);
  EXPECT_EQ(trace.device[0].role, DeviceRole::kNone);
}

TEST_F(BuildTraceTest, NegativeDurationsCountAsNothingAndTracesAreLeftOut) {
  const RankTrace trace = Draw("t1 op back 10 5\nt1 cat:Trace all 0 1000\n");
  ASSERT_EQ(trace.host.size(), 1u);
  EXPECT_EQ(trace.host[0].dur_ns, 0);
}

TEST_F(BuildTraceTest, LanesKnowTheirThreadOrStream) {
  const RankTrace trace = Draw("d3s20 kernel k 0 1\nt44 op a 0 1\n");
  const TraceLane& stream = trace.lanes[static_cast<size_t>(trace.device[0].lane)];
  const TraceLane& thread = trace.lanes[static_cast<size_t>(trace.host[0].lane)];
  EXPECT_TRUE(stream.on_device);
  EXPECT_EQ(stream.device, 3);
  EXPECT_EQ(stream.stream, 20);
  EXPECT_FALSE(thread.on_device);
  EXPECT_EQ(thread.tid, 44);
}

TEST(RoleTest, CommunicationIsKnownByItsLibrary) {
  for (const char* name :
       {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "ncclDevKernel_Generic_4(x)",
        "rcclGenericKernel", "void vllm::cross_device_reduce_1stage<float>", "NCCL_x",
        "void multimem_all_reduce_<float>"}) {
    EXPECT_EQ(RoleOf(EventKind::kKernel, name), DeviceRole::kCommunication) << name;
  }
  EXPECT_EQ(RoleOf(EventKind::kKernel, "nvjet_tst_128x64"), DeviceRole::kCompute);
  EXPECT_EQ(RoleOf(EventKind::kMemset, "Memset (Device)"), DeviceRole::kMemory);
  EXPECT_EQ(RoleOf(EventKind::kSync, "Stream Wait Event"), DeviceRole::kNone);
}

TEST(KindTest, CategoriesOfOtherMakersAreKnown) {
  EXPECT_EQ(KindOf("mtia_runtime", "x"), EventKind::kRuntime);
  EXPECT_EQ(KindOf("xpu_driver", "x"), EventKind::kRuntime);
  EXPECT_EQ(KindOf("cann_runtime", "Node@launch"), EventKind::kRuntime);
  EXPECT_EQ(KindOf("hlo_op", "dot.2"), EventKind::kOperator);
  EXPECT_EQ(KindOf("xla_runtime", "PjitFunction(step)"), EventKind::kRuntime);
  EXPECT_EQ(KindOf("xla_line", "jit_step(12)"), EventKind::kDeviceAnnotation);
  EXPECT_EQ(RoleOf(EventKind::kKernel, "all-reduce-start.7"), DeviceRole::kCommunication);
  EXPECT_EQ(KindOf("npu_sync", "EVENT_WAIT"), EventKind::kSync);
  EXPECT_EQ(KindOf("hccl_task", "SDMA"), EventKind::kDeviceAnnotation);
  EXPECT_EQ(KindOf("npu_task", "SOMETHING_NEW"), EventKind::kUnrecognised);
  EXPECT_EQ(KindOf("npu_figure", "Computing"), EventKind::kDeviceAnnotation);
  EXPECT_EQ(RoleOf(EventKind::kKernel, "hcom_allReduce__868"), DeviceRole::kCommunication);
  EXPECT_EQ(KindOf("mtia_ccp_events", "fc-dtype_Float"), EventKind::kKernel);
  EXPECT_EQ(KindOf("mtia_ccp_events", "dma_request"), EventKind::kMemcpy);
  EXPECT_EQ(KindOf("mtia_ccp_events", "event_wait"), EventKind::kSync);
  EXPECT_EQ(KindOf("mtia_ccp_events", "event_record"), EventKind::kSync);
  EXPECT_EQ(KindOf("user_annotation", "ProfilerStep#9"), EventKind::kStep);
  EXPECT_EQ(KindOf("instant", "x"), EventKind::kOtherHost);
  EXPECT_EQ(KindOf("something", "x"), EventKind::kUnrecognised);
}

}  // namespace
}  // namespace steptrace::analyze
