// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/throughput.h"

#include <gtest/gtest.h>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

constexpr int64_t kStepNs = 1'000'000'000;

class ThroughputTest : public ::testing::Test {
 protected:
  // Two steady steps of a second, each of so many batches.
  explicit ThroughputTest(int32_t batches = 2) {
    for (int64_t i = 0; i < 2; ++i) {
      store::StepRow row;
      row.step = i;
      row.ts_ns = i * kStepNs;
      row.dur_ns = kStepNs;
      row.batches = batches;
      rows_.push_back(row);
    }
    input_.steps = rows_;
    input_.strings = &strings_;
    selection_.steady = {0, 1};
    LoaderFact loader;
    loader.batch_size = 32;
    facts_.loaders.push_back(loader);
  }
  // A product of 2e12 operations in each step, on such a GPU.
  Throughput OnGpu(const std::string& gpu, const std::string& more = "") {
    trace_ = DrawTrace("fact device {\"id\":0,\"name\":\"" + gpu + R"("}
t1 step ProfilerStep#0 0 100
t1 step ProfilerStep#1 100 200
t1 op aten::mm 10 20 ext=1 details={"Input Dims":[[10000,10000],[10000,10000]],"Input type":["c10::BFloat16","c10::BFloat16"]}
t1 runtime cudaLaunchKernel 11 12 corr=1 ext=1
t1 op aten::mm 110 120 ext=2 details={"Input Dims":[[10000,10000],[10000,10000]],"Input type":["c10::BFloat16","c10::BFloat16"]}
t1 runtime cudaLaunchKernel 111 112 corr=2 ext=2
s7 kernel ampere_bf16_s16816gemm 20 40 corr=1
s7 kernel ampere_bf16_s16816gemm 120 140 corr=2
)" + more,
                       strings_);
    const OperatorFlops flops = CountOperatorFlops(trace_);
    return MakeThroughput(input_, selection_, facts_, trace_, &flops);
  }

  store::StringTable strings_;
  std::vector<store::StepRow> rows_;
  ReportInput input_;
  StepSelection selection_;
  JobFacts facts_;
  Trace trace_;
};

TEST_F(ThroughputTest, SamplesAreBatchesTimesTheirSize) {
  const Throughput made = MakeThroughput(input_, selection_, facts_, {}, nullptr);
  EXPECT_DOUBLE_EQ(*made.samples_per_s, 64);
  EXPECT_EQ(made.samples_by, CountedBy::kLoader);
  EXPECT_EQ(made.tokens_per_s, std::nullopt);
  EXPECT_EQ(made.flops_per_step, std::nullopt);
  EXPECT_EQ(made.mfu, std::nullopt);
}

TEST_F(ThroughputTest, WithoutABatchSizeTheLookedAtBatchesTellIt) {
  facts_.loaders[0].batch_size.reset();
  facts_.loaders[0].number = 3;
  facts_.batches[{0, 1}] = {.batches = 4, .samples = 4000};
  facts_.batches[{0, 3}] = {.batches = 4, .samples = 40, .tokens = 400, .samples_alike = true};
  const Throughput made = MakeThroughput(input_, selection_, facts_, {}, nullptr);
  EXPECT_EQ(made.batch_size, 10);
  EXPECT_DOUBLE_EQ(*made.samples_per_s, 20);
  EXPECT_EQ(made.samples_by, CountedBy::kBatches);
  EXPECT_DOUBLE_EQ(*made.tokens_per_s, 200);
  EXPECT_EQ(made.tokens_by, CountedBy::kEstimated);
}

TEST_F(ThroughputTest, WithoutALoaderTheModelsEmbeddingTellsThem) {
  facts_.loaders.clear();
  const Throughput made = OnGpu("NVIDIA A100-SXM4-80GB", R"(
t1 op aten::embedding 30 32 details={"Input Dims":[[50000,64],[4,16],[],[],[]]}
t1 op aten::embedding 130 132 details={"Input Dims":[[50000,64],[4,16],[],[],[]]}
t1 op aten::_scaled_dot_product_flash_attention 40 42 details={"Input Dims":[[4,3,16,8],[4,3,16,8],[4,3,16,8]]}
)");
  EXPECT_EQ(made.batch_size, std::nullopt);
  EXPECT_DOUBLE_EQ(*made.samples_per_s, 4);
  EXPECT_EQ(made.samples_by, CountedBy::kModel);
  EXPECT_DOUBLE_EQ(*made.tokens_per_s, 64);
  EXPECT_EQ(made.tokens_by, CountedBy::kModel);
}

TEST_F(ThroughputTest, OfRanksThatMayShareSamplesThereIsNone) {
  facts_.world_size = 2;
  EXPECT_EQ(MakeThroughput(input_, selection_, facts_, {}, nullptr).samples_per_s, std::nullopt);
  facts_.data_parallel.emplace();
  EXPECT_DOUBLE_EQ(*MakeThroughput(input_, selection_, facts_, {}, nullptr).samples_per_s, 64);
}

TEST_F(ThroughputTest, MfuIsOfTheDensePeakOfThePrecision) {
  const Throughput made = OnGpu("NVIDIA A100-SXM4-80GB");
  EXPECT_DOUBLE_EQ(*made.flops_per_step, 2e12);
  EXPECT_DOUBLE_EQ(*made.flops_per_s, 2e12);
  EXPECT_DOUBLE_EQ(*made.mfu, 2e12 / 312e12);
  EXPECT_FALSE(made.flops_at_least);
  ASSERT_EQ(made.precisions.size(), 1U);
  EXPECT_EQ(made.precisions[0].precision, "BF16");
  EXPECT_EQ(made.precisions[0].peak_flops_per_s, 312e12);
}

TEST_F(ThroughputTest, WithoutAKnownPeakThereIsNoMfu) {
  const Throughput made = OnGpu("Some GPU");
  EXPECT_DOUBLE_EQ(*made.flops_per_s, 2e12);
  EXPECT_EQ(made.mfu, std::nullopt);
}

TEST_F(ThroughputTest, PeaksThatNobodyComparedMeasureNothing) {
  const Throughput made = OnGpu("NVIDIA A30");
  EXPECT_DOUBLE_EQ(*made.flops_per_s, 2e12);
  EXPECT_EQ(made.mfu, std::nullopt);
  EXPECT_EQ(made.gpu_peaks_source, "");
  ASSERT_EQ(made.precisions.size(), 1U);
  EXPECT_EQ(made.precisions[0].peak_flops_per_s, std::nullopt);
}

TEST_F(ThroughputTest, KernelsWithoutShapesMakeItALowerBound) {
  const Throughput made = OnGpu("NVIDIA A100-SXM4-80GB", "s7 kernel nvjet_hsh 150 160\n");
  EXPECT_TRUE(made.flops_at_least);
  EXPECT_DOUBLE_EQ(*made.flops_per_step, 2e12);
}

}  // namespace
}  // namespace steptrace::analyze
