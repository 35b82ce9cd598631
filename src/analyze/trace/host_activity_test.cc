// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/host_activity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;

const char* NameOf(HostActivityKind doing) {
  switch (doing) {
    case HostActivityKind::kNothing:
      return "nothing";
    case HostActivityKind::kBetween:
      return "between";
    case HostActivityKind::kOperator:
      return "operator";
    case HostActivityKind::kLaunch:
      return "launch";
    case HostActivityKind::kSynchronise:
      return "synchronise";
    case HostActivityKind::kCollective:
      return "collective";
    case HostActivityKind::kData:
      return "data";
    case HostActivityKind::kCollection:
      return "collection";
    case HostActivityKind::kCompilation:
      return "compilation";
    case HostActivityKind::kCheckpoint:
      return "checkpoint";
    case HostActivityKind::kEvaluation:
      return "evaluation";
    case HostActivityKind::kLogging:
      return "logging";
  }
  return "?";
}

std::vector<std::string> Activity(std::string_view text) {
  store::StringTable strings;
  const RankTrace trace = DrawRank(text, strings);
  std::vector<std::string> texts;
  const HostActivity activity = ActivityOf(trace, TrainingLane(trace), strings);
  for (size_t i = 0; i < activity.size(); ++i) {
    const HostTimeRange one = activity[i];
    texts.push_back(std::to_string(one.time.begin_ns) + "-" + std::to_string(one.time.end_ns) +
                    " " + NameOf(one.doing));
  }
  return texts;
}

TEST(HostActivityTest, XlaAndTensorFlow) {
  EXPECT_EQ(DoingOf(EventKind::kAnnotation, "Iterator::Prefetch::Map"), HostActivityKind::kData);
  EXPECT_EQ(DoingOf(EventKind::kOperator, "IteratorGetNext:IteratorGetNext"),
            HostActivityKind::kData);
  EXPECT_EQ(DoingOf(EventKind::kRuntime, "PjRtStreamExecutorClient::Compile"),
            HostActivityKind::kCompilation);
  EXPECT_EQ(DoingOf(EventKind::kPython, "compiler.py(361): backend_compile_and_load"),
            HostActivityKind::kCompilation);
  EXPECT_EQ(DoingOf(EventKind::kRuntime, "PjitFunction(step)"), HostActivityKind::kLaunch);
  EXPECT_EQ(DoingOf(EventKind::kPython, "api.py(3165): try_to_block"),
            HostActivityKind::kSynchronise);
}

TEST(HostActivityTest, InnermostEventDecides) {
  EXPECT_THAT(Activity(R"(
t1 python "train.py(3): step" 0 100
t1 op aten::mm 10 60
t1 runtime cudaLaunchKernel 20 30
t1 runtime cudaStreamSynchronize 40 60
)"),
              ElementsAre("0-10 between", "10-20 operator", "20-30 launch", "30-40 operator",
                          "40-60 synchronise", "60-100 between"));
}

TEST(HostActivityTest, NamedRangeCoversAllWithinIt) {
  EXPECT_THAT(Activity(R"(
t1 op enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ 0 50
t1 op aten::stack 10 20
t1 python "<built-in function gc.collect>" 30 40
t1 op aten::relu 60 70
)"),
              ElementsAre("0-30 data", "30-40 collection", "40-50 data", "50-60 nothing",
                          "60-70 operator"));
}

TEST(HostActivityTest, DataWithinAnEvaluationIsEvaluation) {
  EXPECT_THAT(Activity(R"(
t1 python "train.py(9): evaluate" 0 50
t1 annotation "enumerate(DataLoader)#X.__next__" 10 20
)"),
              ElementsAre("0-50 evaluation"));
}

TEST(HostActivityTest, WhatPokesOutOfItsNeighbourKeepsItsEnd) {
  EXPECT_THAT(Activity("t1 op a 0 20\nt1 runtime cudaLaunchKernel 15 25\nt1 op b 30 40\n"),
              ElementsAre("0-15 operator", "15-25 launch", "25-30 nothing", "30-40 operator"));
}

// What began last says, while it lasts; under it an earlier one may have ended.
TEST(HostActivityTest, OneThatEndsBelowALaterOneIsOver) {
  EXPECT_THAT(Activity("t1 op a 0 20\nt1 runtime cudaLaunchKernel 10 40\n"
                       "t1 runtime cudaStreamSynchronize 15 30\n"),
              ElementsAre("0-10 operator", "10-15 launch", "15-30 synchronise", "30-40 launch"));
}

TEST(HostActivityTest, NamesAreKnown) {
  EXPECT_EQ(DoingOf(EventKind::kRuntime, "cudaMemcpy"), HostActivityKind::kSynchronise);
  EXPECT_EQ(DoingOf(EventKind::kRuntime, "cudaMemcpyAsync"), HostActivityKind::kLaunch);
  EXPECT_EQ(DoingOf(EventKind::kRuntime, "hipDeviceSynchronize"), HostActivityKind::kSynchronise);
  EXPECT_EQ(DoingOf(EventKind::kRuntime, "cuLaunchKernelEx"), HostActivityKind::kLaunch);
  EXPECT_EQ(DoingOf(EventKind::kPython, "torch/serialization.py(440): save"),
            HostActivityKind::kCheckpoint);
  EXPECT_EQ(DoingOf(EventKind::kPython, "torch/utils/checkpoint.py(440): checkpoint"),
            HostActivityKind::kBetween);
  EXPECT_EQ(DoingOf(EventKind::kAnnotation, "gloo:all_reduce"), HostActivityKind::kCollective);
  EXPECT_EQ(DoingOf(EventKind::kAnnotation, "nccl:all_reduce"), HostActivityKind::kBetween);
  EXPECT_EQ(DoingOf(EventKind::kStep, "ProfilerStep#1"), HostActivityKind::kNothing);
}

TEST(HostActivityTest, TheTrainingThreadIsTheOneWithTheSteps) {
  store::StringTable strings;
  const RankTrace marked =
      DrawRank("t5 op a 0 1\nt5 op b 1 2\nt9 step ProfilerStep#0 0 9\n", strings);
  EXPECT_EQ(marked.lanes[static_cast<size_t>(TrainingLane(marked))].tid, 9);
  const RankTrace plain = DrawRank("t5 python a 0 1\nt5 python b 1 2\nt9 op c 0 9\n", strings);
  EXPECT_EQ(plain.lanes[static_cast<size_t>(TrainingLane(plain))].tid, 9);
  EXPECT_EQ(TrainingLane(RankTrace{}), kNone);
}

TEST(HostActivityTest, TheScriptsOwnRangesSayWhatTheyAreFor) {
  EXPECT_THAT(Activity(R"(
t1 annotation validate 0 10
t1 op aten::mm 2 8
t1 annotation "## Data Loading ##" 10 20
t1 annotation Run_Validation 20 30
t1 annotation logging 30 40
t1 annotation "validate_inputs" 40 50
t1 annotation DistributedDataParallel.forward 50 60
t1 python "train.py(7): get_batch" 60 70
)"),
              ElementsAre("0-10 evaluation", "10-20 data", "20-30 evaluation", "30-40 logging",
                          "40-70 between"));
}

}  // namespace
}  // namespace steptrace::analyze
