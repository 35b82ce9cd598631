// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/trace_steps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "analyze/report/build_report.h"
#include "present/words/finding_sentence.h"
#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

class TraceStepsTest : public ::testing::Test {
 protected:
  // Stages that hold something, as "name ns", of all steps together.
  std::string Stages(std::string_view text) {
    const RankTrace trace = DrawRank(text, strings_);
    StageTimes sum{};
    int64_t duration = 0;
    for (const TraceStepTimes& one : AttributeTraceSteps(trace, strings_)) {
      EXPECT_EQ(Sum(one.stages), one.step.dur_ns);
      AddTo(sum, one.stages);
      duration += one.step.dur_ns;
    }
    EXPECT_EQ(Sum(sum), duration);
    std::string result;
    for (size_t i = 0; i < kSubStageCount; ++i) {
      if (sum[i] == 0) continue;
      result += std::string(result.empty() ? "" : ", ") + StageName(static_cast<SubStage>(i)) +
                " " + std::to_string(sum[i]);
    }
    return result;
  }

  Report ReportOf(std::string_view text) {
    const Trace trace = DrawTrace(text, strings_);
    const auto rows = DeriveTraceSteps(trace.ranks[0], strings_);
    ReportInput input;
    input.strings = &strings_;
    input.steps = rows;
    input.profile = trace;
    return BuildReport(input);
  }

  store::StringTable strings_;
};

TEST_F(TraceStepsTest, DeviceWorkTakesPrecedence) {
  EXPECT_EQ(Stages(R"(
t1 step ProfilerStep#1 0 100
t1 op enumerate(DataLoader)#X.__next__ 0 100
t1 runtime cudaLaunchKernel 0 1 corr=1
s7 kernel gemm 10 30 corr=1
s20 kernel ncclAllReduce 20 50
s7 memcpy "Memcpy HtoD" 40 60
s7 memcpy "Memcpy DtoD" 55 70
s7 memset Memset 70 75
)"),
            // 0 to 1 the call was under way, and 1 to 10 its kernel waited to begin
            "getitem 26, host_to_device 10, compute 20, device_copy 15, exposed 20, launch 9");
}

TEST_F(TraceStepsTest, AnIdleDeviceIsPutDownToWhatTheTrainingThreadDoes) {
  EXPECT_EQ(Stages(R"(
t1 step ProfilerStep#1 0 1000
t1 op enumerate(DataLoader)#X.__next__ 0 100
t1 op aten::mm 100 200
t1 runtime cudaLaunchKernel 150 170 corr=1
t1 runtime cudaStreamSynchronize 300 400
t1 annotation gloo:all_reduce 400 450
t1 python "<built-in function gc.collect>" 450 500
t1 python "torch/_dynamo/convert_frame.py(1): compile" 500 550
t1 python "torch/serialization.py(1): save" 550 600
t1 python "torch/utils/tensorboard/writer.py(1): add_scalar" 600 650
t1 python "train.py(2): evaluate" 650 700
t1 op aten::relu 900 1000
s7 kernel gemm 200 300 corr=1
)"),
            // 700 to 900 lie between two events of the thread: dispatch; 170 to 200 the launch
            "getitem 100, compute 100, exposed 50, garbage_collection 50, recompilation 50, "
            "dispatch 350, launch 50, synchronisation 100, checkpoint 50, evaluation 50, "
            "logging 50");
}

TEST_F(TraceStepsTest, InBackwardTheLaunchingThreadTells) {
  EXPECT_EQ(Stages(R"(
t1 step ProfilerStep#1 0 1000
t1 op aten::mm 0 10
t1 op aten::done 990 1000
t2 op autograd::engine::evaluate_function 100 500
t2 runtime cudaLaunchKernel 400 450 corr=1
s7 kernel gemm 450 990 corr=1
)"),
            "compute 540, dispatch 410, launch 50");
}

TEST_F(TraceStepsTest, KernelsThatWereLaunchedAndDoNotBegin) {
  EXPECT_EQ(Stages(R"(
t1 step ProfilerStep#1 0 200000
t1 op enumerate(DataLoader)#X.__next__ 100 200000
t1 runtime cudaLaunchKernel 0 10 corr=1
t1 runtime cudaLaunchKernel 20 30 corr=2
t1 runtime cudaLaunchKernel 40 50 corr=3
s7 kernel a 10 1000 corr=1
s7 kernel soon 1100 2000 corr=2
s7 kernel late 102000 200000 corr=3
)"),
            "compute 99890, launch 110, synchronisation 100000");
}

// The device was busy with what was launched before the recording, or something else kept it.
TEST_F(TraceStepsTest, BeforeTheFirstRecordedWorkNobodyKnowsWhatADeviceDid) {
  const std::string text = R"(
t1 step ProfilerStep#1 0 400000
t1 op enumerate(DataLoader)#X.__next__ 100 400000
t1 runtime cudaLaunchKernel 0 10 corr=1
t1 runtime cudaLaunchKernel 20 30 corr=2
s7 kernel first 100010 200000 corr=1
)";
  EXPECT_EQ(Stages(text + "s7 kernel soon 250000 400000 corr=2\n"),
            "compute 249990, launch 10, synchronisation 50000, unknown 100000");
  // Where work waits as long later, it is how the training goes.
  EXPECT_EQ(Stages(text + "s7 kernel late 310000 400000 corr=2\n"),
            "compute 189990, launch 10, synchronisation 210000");
}

TEST_F(TraceStepsTest, LongTimeRangeWithoutANameStaysUnknown) {
  EXPECT_EQ(Stages(R"(
t1 step ProfilerStep#1 0 5000000
t1 op aten::mm 0 1000000
t1 python "train.py(7): crunch" 1000000 4000000
t1 op aten::mm 4000000 5000000
t1 runtime cudaLaunchKernel 4900000 5000000 corr=1
s7 kernel a 5000000 6000000 corr=1
)"),
            "compute 1000000, dispatch 1900000, launch 100000, unknown 3000000");
}

TEST_F(TraceStepsTest, WithoutDeviceWorkOperatorsAreTheModel) {
  EXPECT_EQ(Stages(R"(
t1 step ProfilerStep#1 0 100
t1 op enumerate(DataLoader)#X.__next__ 0 30
t1 op aten::mm 40 100
)"),
            "getitem 30, forward 60, dispatch 10");
}

// XLA computes in threads of its own; the script's awaits them, with an event or without.
TEST_F(TraceStepsTest, ConcurrentXlaOperationsAreTheModel) {
  EXPECT_EQ(Stages(R"(
t1 cat:step_annotation train 0 10000000 details={"step_num":"1"}
t1 annotation load_batch 0 6000000
t1 cat:xla_runtime PjitFunction(step) 6000000 6100000
t1 cat:xla_runtime CommonPjRtBuffer::Await 8000000 8600000
t2 cat:hlo_op dot.2 6200000 8500000
)"),
            // 6.1 to 6.2 and 8.6 to 10 ms nothing tells, 8.5 to 8.6 it awaits what has ended
            "getitem 6000000, forward 2400000, synchronisation 100000, unknown 1500000");
}

TEST_F(TraceStepsTest, WithoutDeviceWorkOperatorsCountInTheirPhase) {
  EXPECT_EQ(Stages(R"(
t1 step ProfilerStep#1 0 1000
t1 op aten::mm 0 300
t1 op "autograd::engine::evaluate_function: MmBackward" 300 650
t1 op aten::mm 310 640
t1 annotation Optimizer.step#SGD.step 650 1000
t1 op aten::add_ 650 900
t1 op "autograd::engine::evaluate_function: InAClosure" 900 1000
)"),
            "forward 300, backward 350, optimizer 350");
}

TEST_F(TraceStepsTest, RowsHoldPhasesAndCausesThatSumToTheStep) {
  const RankTrace trace = DrawRank(R"(
rank 2
t1 step ProfilerStep#5 0 1000
t1 op enumerate(DataLoader)#X.__next__ 0 100
t1 op aten::mm 100 300
t1 runtime cudaLaunchKernel 150 170 corr=1
t2 op "autograd::engine::evaluate_function: MmBackward" 400 600
t1 annotation Optimizer.step#SGD.step 700 800
s7 kernel gemm 200 900 corr=1
)",
                                   strings_);
  const auto rows = DeriveTraceSteps(trace, strings_);
  ASSERT_EQ(rows.size(), 1u);
  const store::StepRow& row = rows[0];
  EXPECT_EQ(row.rank, 2);
  EXPECT_EQ(row.step, 5);
  EXPECT_EQ(strings_.Text(row.kind), "train");
  EXPECT_EQ(row.data_ns, 100);
  EXPECT_EQ(row.forward_ns, 200);
  EXPECT_EQ(row.backward_ns, 200);
  EXPECT_EQ(row.optimizer_ns, 100);
  EXPECT_EQ(row.other_phase_ns, 400);
  EXPECT_EQ(row.model_ns, 700);
  EXPECT_EQ(row.data_pipeline_ns, 100);
  EXPECT_EQ(row.model_ns + row.data_pipeline_ns + row.communication_ns + row.framework_overhead_ns +
                row.other_ns,
            row.dur_ns);
}

TEST_F(TraceStepsTest, AnyProfileSumsExactly) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    std::string text = "t1 step ProfilerStep#1 0 400\nt1 step ProfilerStep#2 400 900\n";
    const char* names[] = {"op aten::mm",
                           "runtime cudaLaunchKernel",
                           "python f",
                           "runtime cudaDeviceSynchronize",
                           "annotation enumerate(DataLoader)#",
                           "annotation gloo:x",
                           "overhead o"};
    for (int i = 0; i < 20; ++i) {
      const auto begin = static_cast<int>(random() % 900);
      text += "t" + std::to_string(1 + random() % 2) + " " + names[random() % 7] + " " +
              std::to_string(begin) + " " + std::to_string(begin + random() % 200) +
              " corr=" + std::to_string(i) + "\n";
    }
    const char* work[] = {"kernel gemm", "kernel ncclX", "memcpy MemcpyHtoD", "memset M"};
    for (int i = 0; i < 15; ++i) {
      const auto begin = static_cast<int>(random() % 1200);
      text += "s" + std::to_string(random() % 2) + " " + work[random() % 4] + " " +
              std::to_string(begin) + " " + std::to_string(begin + random() % 60) +
              " corr=" + std::to_string(random() % 25) + "\n";
    }
    Stages(text);  // checks the sums
    const RankTrace trace = DrawRank(text, strings_);
    for (const store::StepRow& row : DeriveTraceSteps(trace, strings_)) {
      EXPECT_EQ(row.data_ns + row.forward_ns + row.backward_ns + row.optimizer_ns +
                    row.communication_phase_ns + row.checkpoint_ns + row.evaluation_ns +
                    row.logging_ns + row.gc_ns + row.compile_ns + row.capture_ns +
                    row.other_phase_ns,
                row.dur_ns);
    }
    if (HasFailure()) FAIL() << text;
  }
}

// Three steps are a verdict: each of their nanoseconds is accounted for.
TEST_F(TraceStepsTest, AProfileOfThreeStepsHasAVerdict) {
  std::string text;
  for (int i = 0; i < 3; ++i) {
    const int at = i * 1000;
    const auto line = [&](const std::string& event, int begin, int end, const std::string& more) {
      text +=
          event + " " + std::to_string(at + begin) + " " + std::to_string(at + end) + more + "\n";
    };
    const std::string correlation = " corr=" + std::to_string(i);
    line("t1 step ProfilerStep#" + std::to_string(i), 0, 1000, "");
    line("t1 op enumerate(DataLoader)#X.__next__", 0, 600, "");
    line("t1 runtime cudaLaunchKernel", 600, 610, correlation);
    line("s7 kernel gemm", 610, 1000, correlation);
  }
  const Trace trace = DrawTrace(text, strings_);
  const auto rows = DeriveTraceSteps(trace.ranks[0], strings_);
  ReportInput input;
  input.strings = &strings_;
  input.steps = rows;
  input.profile = trace;
  const Report report = BuildReport(input);
  EXPECT_EQ(report.verdict.status, VerdictStatus::kFound);
  EXPECT_EQ(report.verdict.suspect, "data_pipeline");
  EXPECT_NEAR(report.verdict.share, 0.6, 1e-9);
  EXPECT_DOUBLE_EQ(report.verdict.share_low, report.verdict.share_high);
  EXPECT_NE(present::SentenceOf(report.verdict.headline).text.find("seen in 3 steps"),
            std::string::npos);
  ASSERT_TRUE(report.profile.has_value());
  EXPECT_EQ(report.profile->devices.devices.size(), 1u);
  // The same steps without the device's word for them are too few.
  input.profile = {};
  EXPECT_EQ(BuildReport(input).verdict.status, VerdictStatus::kTooFewSteps);
}

// A profile of the device alone tells the host's calls, and not what lies between them.
TEST_F(TraceStepsTest, WithoutOperatorsNothingTellsWhatTheHostDoes) {
  const char* kernels = R"(
t1 step ProfilerStep#1 0 100
t1 runtime cudaLaunchKernel 0 10 corr=1
s7 kernel gemm 10 40 corr=1
t1 runtime cudaLaunchKernel 60 70 corr=2
s7 kernel gemm 70 100 corr=2
)";
  EXPECT_EQ(Stages(kernels), "compute 60, launch 20, unknown 20");
  EXPECT_EQ(Stages(std::string(kernels) + "t1 op aten::mm 60 70\n"),
            "compute 60, dispatch 20, launch 20");
}

// What one of a rank's devices does is not said of all.
TEST_F(TraceStepsTest, DevicesOfOneRankAreGrouped) {
  std::string text;
  for (int i = 0; i < 3; ++i) {
    text += fmt::format("t1 step ProfilerStep#{} {} {}\n", i, i * 100, i * 100 + 100);
    text += fmt::format("s7 kernel a {} {}\n", i * 100, i * 100 + 40);
    text += fmt::format("d1s7 kernel b {} {}\n", i * 100 + 40, i * 100 + 80);
  }
  const Report report = ReportOf(text);
  const auto reported = std::ranges::any_of(report.verdict.evidence, [](const auto& one) {
    return present::SentenceOf(one).text.starts_with(
        "at least one of a rank's 2 devices computes in 80 % of the step");
  });
  EXPECT_TRUE(reported);
}

// Two threads that both number their steps from 1: each has its own times.
TEST_F(TraceStepsTest, StepsOfOneNumberAreKeptApart) {
  const char* text = R"(
t1 step ProfilerStep#1 0 100
t1 op aten::mm 0 100
t1 runtime cudaLaunchKernel 0 10 corr=1
s7 kernel gemm 10 100 corr=1
t2 step ProfilerStep#1 100 200
t2 op aten::mm 100 200
t2 runtime cudaLaunchKernel 100 190 corr=2
s7 kernel gemm 190 200 corr=2
)";
  const Report report = ReportOf(text);
  EXPECT_EQ(report.steps.count, 2);
  std::map<std::string, int64_t> ns;
  for (const StageRow& row : report.stages) ns[row.name] = row.ns;
  EXPECT_EQ(ns["compute"], 100);
  EXPECT_EQ(ns["launch"], 100);
  EXPECT_EQ(ns["garbage_collection"], 0);
  EXPECT_EQ(present::SentenceOf(report.verdict.evidence.back()).text.substr(0, 34),
            "2 threads of rank 0 mark steps: wh");
}

// Of a profile who loads is known by the iterator's name.
TEST_F(TraceStepsTest, AProfiledLoaderIsAdvised) {
  const auto advice = [](const std::string& iterator, int32_t cores = 0) {
    store::StringTable strings;
    std::string text;
    for (int i = 0; i < 3; ++i) {
      text += fmt::format("t1 step ProfilerStep#{} {} {}\n", i, i * 1000, i * 1000 + 1000);
      text += fmt::format("t1 op enumerate(DataLoader)#{}.__next__ {} {}\n", iterator, i * 1000,
                          i * 1000 + 900);
      text += fmt::format("t1 op aten::mm {} {}\n", i * 1000 + 900, i * 1000 + 1000);
    }
    const Trace trace = DrawTrace(text, strings);
    const auto rows = DeriveTraceSteps(trace.ranks[0], strings);
    ReportInput input;
    input.strings = &strings;
    input.steps = rows;
    input.profile = trace;
    if (cores > 0) input.run.nodes.push_back({.node = 0, .host = {}, .cpus = cores});
    std::string all;
    for (const Advice& one : BuildReport(input).verdict.advice) {
      all += present::SentenceOf(one.what).text + " [" + one.proposed + "]\n";
    }
    return all;
  };
  const std::string alone = "_SingleProcessDataLoaderIter";
  EXPECT_NE(advice(alone).find("DataLoader(num_workers=2 to 4)"), std::string::npos);
  EXPECT_NE(advice(alone).find("[2-4]"), std::string::npos);
  EXPECT_NE(advice(alone, 64).find("[2-4]"), std::string::npos);
  EXPECT_NE(advice(alone, 3).find("DataLoader(num_workers=2), now 0"), std::string::npos);
  EXPECT_NE(advice(alone, 2).find("[1]"), std::string::npos);
  EXPECT_EQ(advice(alone, 1).find("num_workers"), std::string::npos) << "no core is left for one";
  EXPECT_NE(advice("_MultiProcessingDataLoaderIter").find("record with `steptrace run`"),
            std::string::npos);
  EXPECT_EQ(advice("Mine").find("num_workers"), std::string::npos);
}

// gloo has threads of its own: DDP's backward awaits them without an event.
TEST_F(TraceStepsTest, TimeWithoutANameBesideACollectiveIsCommunication) {
  const char* profile = R"(
t1 step ProfilerStep#1 0 20000000
t1 op aten::mm 0 2000000
t2 annotation gloo:all_reduce 1000000 9000000
t1 op reducer::copy_bucket_to_grad 8000000 8500000
t1 op aten::mm 8600000 9500000
t1 op aten::mm 15000000 20000000
)";
  // From 2 to 8 ms it is awaited; what is computed beside it counts as that, and 100 us between
  // operators as the way to the next.
  EXPECT_EQ(Stages(profile), "forward 8400000, exposed 6000000, dispatch 100000, unknown 5500000");
  const RankTrace trace = DrawRank(profile, strings_);
  const auto rows = DeriveTraceSteps(trace, strings_);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].communication_ns, 6'000'000);
  EXPECT_EQ(rows[0].communication_phase_ns, 6'000'000);
  EXPECT_EQ(rows[0].data_ns + rows[0].forward_ns + rows[0].backward_ns + rows[0].optimizer_ns +
                rows[0].communication_phase_ns + rows[0].other_phase_ns,
            rows[0].dur_ns);
}

}  // namespace
}  // namespace steptrace::analyze
