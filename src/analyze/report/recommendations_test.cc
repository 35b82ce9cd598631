// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/recommendations.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "analyze/attribution/trace_steps.h"
#include "analyze/report/build_report.h"
#include "model/finding_kinds.h"
#include "present/words/finding_sentence.h"
#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

std::string Said(const model::Finding& finding) {
  return present::SentenceOf(finding).text;
}

class RecommendationsTest : public ::testing::Test {
 protected:
  Report Build(std::string_view text) {
    const Trace trace = DrawTrace(text, strings_);
    std::vector<store::StepRow> steps;
    for (const RankTrace& rank : trace.ranks) {
      const auto rows = DeriveTraceSteps(rank, strings_);
      steps.insert(steps.end(), rows.begin(), rows.end());
    }
    ReportInput input;
    input.strings = &strings_;
    input.steps = steps;
    input.facts = trace.facts;
    input.profile = trace;
    return BuildReport(input);
  }
  Recommendation Find(std::string_view text, const std::string& name) {
    for (const Recommendation& one : Build(text).recommendations) {
      if (one.name == name) return one;
    }
    throw std::out_of_range(name);
  }

  store::StringTable strings_;
};

TEST_F(RecommendationsTest, LoaderOverATwentiethOfTheStep) {
  const char* text = R"(
t1 step ProfilerStep#1 0 1000
t1 op enumerate(DataLoader)#X.__next__ 0 60
t1 runtime cudaLaunchKernel 100 110 corr=1
s7 kernel gemm 110 1000 corr=1
)";
  const Recommendation found = Find(text, "high_input_cost");
  EXPECT_EQ(found.status, RuleStatus::kIssuesFound);
  EXPECT_DOUBLE_EQ(*found.value, 0.06);
  EXPECT_DOUBLE_EQ(*found.at_most_share, 0.06);
  EXPECT_EQ(found.at_most_ns, 60);
  ASSERT_EQ(found.evidence.size(), 1u);
  EXPECT_EQ(Said(found.evidence.at(0)), "60 ns in 1 step");
  for (const char* none : {"synchronisation_stalls", "exposed_communication", "allocator_churn"}) {
    EXPECT_TRUE(Find(text, none).evidence.empty()) << none;  // and not "0 calls, 0 s in them"
  }
}

TEST_F(RecommendationsTest, ExactlyAtAThresholdIsNoIssue) {
  const char* text = R"(
t1 step ProfilerStep#1 0 1000
t1 op enumerate(DataLoader)#X.__next__ 0 50
t1 runtime cudaLaunchKernel 490 500 corr=1
s7 kernel gemm 500 1000 corr=1
)";
  EXPECT_EQ(Find(text, "high_input_cost").status, RuleStatus::kOk);
  EXPECT_EQ(Find(text, "low_gpu_utilization").status, RuleStatus::kOk);
}

TEST_F(RecommendationsTest, CommunicationAndUtilization) {
  const char* text = R"(
t1 step ProfilerStep#1 0 1000
t1 runtime cudaLaunchKernel 0 10 corr=1
t1 runtime cudaLaunchKernel 10 20 corr=2
s7 kernel gemm 20 120 corr=1
s8 kernel ncclAllReduce 100 320 corr=2
)";
  EXPECT_EQ(Find(text, "high_communication_cost").status, RuleStatus::kIssuesFound);
  EXPECT_DOUBLE_EQ(*Find(text, "low_gpu_utilization").value, 0.3);
  const Recommendation exposed = Find(text, "exposed_communication");
  EXPECT_EQ(exposed.status, RuleStatus::kIssuesFound);
  EXPECT_NEAR(*exposed.value, 0.2, 1e-9);
  EXPECT_EQ(Find(text, "straggler").status, RuleStatus::kNotApplicable);
}

// Waiting for ranks that are not here is in it: what sending less gains is not known.
TEST_F(RecommendationsTest, OfOneRankOfEightCommunicationGainsNothingThatIsKnown) {
  const char* text = R"(
fact job {"rank": 0, "world_size": 8}
t1 step ProfilerStep#1 0 1000
t1 runtime cudaLaunchKernel 0 10 corr=1
t1 runtime cudaLaunchKernel 10 20 corr=2
s7 kernel gemm 20 120 corr=1
s8 kernel ncclAllReduce 100 320 corr=2
)";
  for (const char* name : {"high_communication_cost", "exposed_communication"}) {
    const Recommendation one = Find(text, name);
    EXPECT_EQ(one.status, RuleStatus::kIssuesFound);
    EXPECT_FALSE(one.at_most_share.has_value());
    ASSERT_TRUE(one.advice.has_value());
    EXPECT_EQ(one.advice->kind, model::FindingKind::kCommunicationAllRanks);
  }
}

TEST_F(RecommendationsTest, ParallelModules) {
  EXPECT_EQ(Find("t1 op DataParallel.forward 0 10\nd0s7 kernel a 0 1\nd1s7 kernel a 0 1\n",
                 "data_parallel")
                .status,
            RuleStatus::kIssuesFound);
  EXPECT_EQ(Find("t1 op DataParallel.forward 0 10\nd0s7 kernel a 0 1\n", "data_parallel").status,
            RuleStatus::kOk);
  EXPECT_EQ(Find("t1 op a 0 10\nd0s7 kernel a 0 1\n", "data_parallel").status,
            RuleStatus::kNotApplicable);
  const std::string ddp =
      "t1 op DistributedDataParallel.forward 0 10\ns7 kernel a 0 1\n"
      "fact device {\"id\": 0, \"computeMajor\": 7, \"computeMinor\": 0}\n";
  EXPECT_EQ(Find(ddp, "ddp_without_nccl").status, RuleStatus::kIssuesFound);
  EXPECT_EQ(Find(ddp + "fact job {\"backend\": \"nccl\"}\n", "ddp_without_nccl").status,
            RuleStatus::kOk);
}

TEST_F(RecommendationsTest, TensorCores) {
  const std::string text = R"(
t1 op aten::mm 0 100 ext=1
t1 runtime cudaLaunchKernel 10 20 corr=1 ext=1
s7 kernel volta_sgemm 20 60 corr=1
s7 kernel relu 60 100
)";
  const std::string volta = "fact device {\"id\": 0, \"computeMajor\": 7}\n";
  EXPECT_EQ(Find(text + volta, "tensor_cores_unused").status, RuleStatus::kIssuesFound);
  EXPECT_EQ(
      Find(text + "fact device {\"id\": 0, \"computeMajor\": 6}\n", "tensor_cores_unused").status,
      RuleStatus::kNotApplicable);
  const std::string some = text + "s7 kernel s884gemm 100 105\n" + volta;
  const Recommendation used = Find(some, "tensor_cores_unused");
  EXPECT_EQ(used.status, RuleStatus::kOk);
  EXPECT_EQ(Said(*used.text), "kernels with 6 % of the kernel time use tensor cores");
  EXPECT_EQ(Find(some, "low_tensor_core_share").status, RuleStatus::kIssuesFound);
}

// Of what computes: beside much communication too.
TEST_F(RecommendationsTest, TensorCoresAreSharesOfComputing) {
  const Recommendation found = Find(R"(
fact device {"id": 0, "computeMajor": 8}
t1 step ProfilerStep#1 0 1000
t1 op aten::mm 0 100 ext=1
t1 runtime cudaLaunchKernel 10 20 corr=1 ext=1
s7 kernel sgemm 20 110 corr=1
s7 kernel s16816gemm 110 120
s9 kernel ncclDevKernel_AllReduce 120 1000
)",
                                    "low_tensor_core_share");
  EXPECT_EQ(found.status, RuleStatus::kIssuesFound);
  EXPECT_DOUBLE_EQ(*found.value, 0.1);
  EXPECT_EQ(Said(found.evidence.at(0)), "operators that could use them launch 90 % of computing");
  // 0.8 of the computing, which is 0.1 of the step
  EXPECT_NEAR(*found.at_most_share, 0.08, 0.002);
}

TEST_F(RecommendationsTest, MemoryAllocatorCopiesAndSynchronising) {
  const char* text = R"(
t1 step ProfilerStep#1 0 1000
t1 op aten::mm 0 1000
t1 runtime cudaMalloc 0 100
t1 runtime cudaLaunchKernel 100 110 corr=1
t1 runtime cudaMemcpyAsync 110 120 corr=2
t1 runtime cudaStreamSynchronize 300 500
t1 memory 10 bytes=95 device=0 allocated=95
s7 kernel gemm 110 200 corr=1
s7 memcpy "Memcpy HtoD" 200 300 corr=2 bytes=64
fact device {"id": 0, "totalGlobalMem": 100}
)";
  EXPECT_EQ(Find(text, "memory_nearly_full").status, RuleStatus::kIssuesFound);
  EXPECT_EQ(Find(text, "allocator_churn").status, RuleStatus::kIssuesFound);
  EXPECT_EQ(Find(text, "small_copies").status, RuleStatus::kIssuesFound);
  EXPECT_EQ(Find(text, "synchronisation_stalls").status, RuleStatus::kIssuesFound);
  EXPECT_EQ(Find(text, "launch_bound").status, RuleStatus::kIssuesFound);
  EXPECT_EQ(Build(text).recommendations.size(), 14u);
}

TEST_F(RecommendationsTest, ALateRankIsNamed) {
  const Recommendation found = Find(R"(
rank 0
t1 step ProfilerStep#1 0 1000
t1 runtime cudaLaunchKernel 0 10 corr=1
t1 runtime cudaLaunchKernel 10 20 corr=2
s7 kernel gemm 20 300 corr=1
s7 kernel nccl 300 1000 corr=2
rank 1
t1 step ProfilerStep#1 0 1000
t1 runtime cudaLaunchKernel 0 10 corr=1
t1 runtime cudaLaunchKernel 10 20 corr=2
s7 kernel gemm 20 900 corr=1
s7 kernel nccl 900 1000 corr=2
)",
                                    "straggler");
  EXPECT_EQ(found.status, RuleStatus::kIssuesFound);
  EXPECT_NEAR(*found.value, 0.3, 1e-9);
  ASSERT_FALSE(found.evidence.empty());
  EXPECT_NE(Said(found.evidence.at(0)).find("rank 1 (its longer kernels)"), std::string::npos);
}

// A device of JAX's waits for its host as well; torch.compile is no advice for it.
TEST_F(RecommendationsTest, AdviceIsOfTheFrameworkThatWroteTheProfile) {
  const std::string text = R"(
t1 step ProfilerStep#1 0 1000
t1 runtime cudaLaunchKernel 100 300 corr=1
s7 kernel gemm 300 400 corr=1
s7 memcpy "Memcpy HtoD" 400 500 bytes=64
)";
  const std::string by_jax = text + "fact source {\"format\": \"chrome\", \"writer\": \"jax\"}\n";
  EXPECT_TRUE(Find(text, "launch_bound").advice);
  const Recommendation of_jax = Find(by_jax, "launch_bound");
  EXPECT_EQ(of_jax.status, RuleStatus::kIssuesFound);
  EXPECT_FALSE(of_jax.advice);
  EXPECT_TRUE(Find(by_jax, "small_copies").advice) << "of any framework";
}

}  // namespace
}  // namespace steptrace::analyze
