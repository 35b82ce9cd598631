// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/python_work.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "analyze/attribution/trace_rank_steps.h"
#include "analyze/code/function_text.h"
#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

class PythonWorkTest : public ::testing::Test {
 protected:
  // Stages that hold something after their functions were asked, of all steps together, and what
  // each was named by: "decode 40 [read (d.py:7) 40]".
  std::string Stages(std::string_view text, std::optional<int64_t> last_steps = {}) {
    const RankTrace trace = DrawRank(text, strings_);
    const StageTable table;
    const TraceRankSteps found = FindRankSteps(trace, strings_, &table, last_steps);
    StageTimes sum{};
    for (const TraceStepTimes& one : found.attributed) {
      EXPECT_EQ(Sum(one.by_functions), 0);
      AddTo(sum, one.stages);
      AddTo(sum, one.by_functions);
    }
    std::string result;
    for (size_t i = 0; i < kSubStageCount; ++i) {
      EXPECT_GE(sum[i], 0);
      if (sum[i] == 0) continue;
      const auto stage = static_cast<SubStage>(i);
      result += fmt::format("{}{} {}", result.empty() ? "" : ", ", StageName(stage), sum[i]);
      const auto functions = found.functions.find(stage);
      if (functions == found.functions.end()) continue;
      for (const FunctionTime& one : functions->second) {
        result += fmt::format(" [{} {}{}]", FunctionText(one.function).value, one.function.ns,
                              one.waits ? " waits" : "");
      }
    }
    return result;
  }

  store::StringTable strings_;
};

// A batch that the training thread makes for itself, in a profile without device work.
TEST_F(PythonWorkTest, ABatchHasTheStagesOfWhatMakesIt) {
  EXPECT_EQ(Stages(R"(
t1 step ProfilerStep#1 0 1000
t1 op enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ 0 600
t1 python "torch/utils/data/dataloader.py(703): __next__" 0 600
t1 python "torch/utils/data/_utils/fetch.py(50): fetch" 10 590
t1 python "clicks.py(20): __getitem__" 20 400
t1 python "pyarrow/parquet/core.py(1600): read_row_group" 30 200
t1 python "clicks.py(31): shuffle_words" 200 320
t1 python "<built-in method sub of re.Pattern object at 0x1>" 210 310
t1 python "torch/utils/data/_utils/collate.py(300): default_collate" 400 580
t1 op aten::mm 600 1000
)"),
            "decode 170 [read_row_group (clicks.py:20) 170], "
            "tokenise 100 [Pattern.sub (clicks.py:31) 100], "
            "dataset_code 110 [__getitem__ (clicks.py:20) 90] [shuffle_words (clicks.py:31) 20], "
            "getitem 40, collate 180, forward 400");
}

TEST_F(PythonWorkTest, TimeWithoutANameIsTheFunctionsThatRunInIt) {
  constexpr const char* kText = R"(
t1 step ProfilerStep#1 0 10000000
t1 op aten::mm 0 1000000
t1 python "train.py(5): main" 0 10000000
t1 python "train.py(40): count_words" 1000000 6000000
t1 python "<built-in function sleep>" 6000000 9000000
t1 op aten::mm 9000000 10000000
)";
  EXPECT_EQ(Stages(kText),
            "forward 2000000, loop_code 5000000 [count_words (train.py:40) 5000000], "
            "unknown 3000000 [time.sleep (train.py:5) 3000000 waits]");
}

// Neither has a name of its own: it is the function that it stands in.
TEST_F(PythonWorkTest, AComprehensionIsItsFunctionsTime) {
  EXPECT_EQ(Stages(R"(
t1 step ProfilerStep#1 0 10000000
t1 op aten::mm 0 1000000
t1 python "train.py(40): count_words" 1000000 9000000
t1 python "train.py(41): <listcomp>" 2000000 5000000
t1 python "<built-in function sum>" 2500000 4500000
t1 python "train.py(42): <genexpr>" 3000000 4000000
t1 python "count.py(3): <lambda>" 6000000 7000000
t1 op aten::mm 9000000 10000000
)"),
            "forward 2000000, loop_code 8000000 [count_words (train.py:40) 7000000] "
            "[<lambda> (count.py:3) 1000000]");
}

// Python between two operators that are near each other is the way from one to the next.
TEST_F(PythonWorkTest, TheWayBetweenOperatorsStaysDispatch) {
  EXPECT_EQ(Stages(R"(
t1 step ProfilerStep#1 0 300000
t1 python "train.py(5): main" 0 300000
t1 op aten::mm 0 100000
t1 op aten::mm 200000 300000
)"),
            "forward 200000, dispatch 100000");
}

// Of a library's pipeline no function is the user's: the innermost one that holds most of it is
// named.
TEST_F(PythonWorkTest, WhatAFrameworksLoopPreparesIsNamedByTheFunctionThatHoldsMost) {
  EXPECT_EQ(Stages(R"(
t1 step ProfilerStep#1 0 10000000
t1 op aten::mm 0 1000000
t1 python "profile.py(37): run" 0 10000000
t1 python "transformers/pipelines/base.py(1373): run_single" 1000000 9000000
t1 python "transformers/pipelines/video_classification.py(129): preprocess" 1000000 8000000
t1 python "transformers/image_processing_utils.py(40): __call__" 1000000 8000000
t1 python "transformers/image_transforms.py(80): resize" 2000000 7500000
t1 python "PIL/Image.py(2200): resize" 2000000 4500000
t1 python "numpy/core/numeric.py(10): where" 5000000 7000000
t1 op aten::mm 9000000 10000000
)"),
            "augmentation 7000000 [resize (image_transforms.py:80) 5500000], forward 2000000, "
            "unknown 1000000 [run_single (base.py:1373) 1000000]");
}

// Of a report on the last steps the functions are theirs alone.
TEST_F(PythonWorkTest, OnlyTheLastStepsCount) {
  constexpr const char* kText = R"(
t1 step ProfilerStep#1 0 10000000
t1 op aten::mm 0 1000000
t1 python "train.py(40): early" 1000000 9000000
t1 op aten::mm 9000000 10000000
t1 step ProfilerStep#2 10000000 20000000
t1 op aten::mm 10000000 11000000
t1 python "train.py(50): late" 11000000 19000000
t1 op aten::mm 19000000 20000000
)";
  EXPECT_EQ(Stages(kText),
            "forward 4000000, "
            "loop_code 16000000 [early (train.py:40) 8000000] [late (train.py:50) 8000000]");
  EXPECT_EQ(Stages(kText, 1),
            "forward 4000000, loop_code 8000000 [late (train.py:50) 8000000], unknown 8000000");
  EXPECT_EQ(Stages(kText, 5), Stages(kText));
}

TEST_F(PythonWorkTest, StepsSumExactly) {
  std::mt19937_64 random(7);
  constexpr const char* kNames[] = {
      "train.py(5): main",          "torch/utils/data/_utils/fetch.py(50): fetch",
      "clicks.py(20): __getitem__", "json/decoder.py(1): decode",
      "<built-in function sleep>",  "transformers/trainer.py(1): train",
      "torch/optim/sgd.py(1): step"};
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (int step = 0; step < 3; ++step) {
      const int begin = step * 5'000'000;
      text += fmt::format("t1 step ProfilerStep#{} {} {}\n", step, begin, begin + 5'000'000);
      const int data = begin + static_cast<int>(random() % 3'000'000);
      text += fmt::format("t1 op enumerate(DataLoader)#X.__next__ {} {}\n", begin, data);
    }
    for (int i = 0; i < 30; ++i) {  // nested, side by side or, as damage has it, across
      const auto begin = static_cast<int>(random() % 15'000'000);
      text += fmt::format("t1 python \"{}\" {} {}\n", kNames[random() % 7], begin,
                          begin + static_cast<int>(random() % 6'000'000));
    }
    Stages(text);
  }
}

TEST_F(PythonWorkTest, SharesOfSeveralRanksAreOfTheWhole) {
  StageFunction f{"f", "d.py", 3, "", 30, 0, false, ""};
  StageFunction g{"g", "d.py", 9, "", 40, 0, false, ""};
  const std::vector<FunctionTimes> ranks = {{{SubStage::kDecode, {{f, false}}}},
                                            {{SubStage::kDecode, {{g, false}, {f, false}}}}};
  const FunctionTimes merged = MergeFunctions(ranks, 200);
  const auto& decode = merged.at(SubStage::kDecode);
  ASSERT_EQ(decode.size(), 2u);
  EXPECT_EQ(decode[0].function.function, "f");
  EXPECT_EQ(decode[0].function.ns, 60);
  EXPECT_DOUBLE_EQ(decode[0].function.share, 0.3);
}

// The script may do something while its collective is under way: only in torch does it await it.
TEST_F(PythonWorkTest, RanksAreAwaitedInTorchAlone) {
  EXPECT_EQ(Stages(R"(
t1 step ProfilerStep#1 0 30000000
t1 op aten::mm 0 1000000
t2 annotation gloo:all_reduce 1000000 20000000
t1 python "train.py(3): main" 0 30000000
t1 python "train.py(20): mix" 1000000 6000000
t1 python "<built-in method wait of pybind11_builtins.pybind11_detail_function_record_v1 object at 0x1>" 6000000 11000000
t1 python "torch/_tensor.py(500): backward" 11000000 19000000
t1 python "torch/autograd/graph.py(850): _engine_run_backward" 11000000 19000000
t1 op aten::mm 29000000 30000000
)"),
            "forward 2000000, exposed 13000000, loop_code 15000000 [main (train.py:3) 10000000] "
            "[mix (train.py:20) 5000000]");
}

// Without operators, as in a function of C++: the phase is known yet.
TEST_F(PythonWorkTest, OnTheHostAPhaseOfTorchIsTheModels) {
  EXPECT_EQ(Stages(R"(
t1 step ProfilerStep#1 0 30000000
t1 op aten::mm 0 1000000
t1 python "train.py(3): main" 0 30000000
t1 python "torch/_tensor.py(500): backward" 1000000 21000000
t1 python "torch/autograd/graph.py(850): _engine_run_backward" 1000000 21000000
t1 op aten::mm 21000000 30000000
)"),
            "forward 10000000, backward 20000000");
}

// Who asks a loader for a batch that its workers make does not make it.
TEST_F(PythonWorkTest, WhoAwaitsWorkersIsNoFunctionOfTheDataset) {
  EXPECT_EQ(Stages(R"(
t1 step ProfilerStep#1 0 1000
t1 python "train.py(45): loop" 0 1000
t1 op enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__ 0 900
t1 python "torch/utils/data/dataloader.py(1468): _next_data" 0 900
t1 python "multiprocessing/queues.py(98): get" 10 890
t1 python "<built-in method poll of select.poll object at 0x7ff38614a520>" 20 880
t1 op aten::mm 900 1000
)"),
            "getitem 900, forward 100");
}

}  // namespace
}  // namespace steptrace::analyze
