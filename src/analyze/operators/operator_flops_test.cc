// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/operator_flops.h"

#include <gtest/gtest.h>

#include "analyze/operators/flop_formulas.h"
#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

std::optional<double> Of(std::string_view op, std::string_view details) {
  const auto flops = FlopsOf(op, ReadInputs(details), {}, {});
  return flops ? std::optional(flops->flops) : std::nullopt;
}

TEST(FlopFormulasTest, AreThoseOfPyTorchsCounter) {
  EXPECT_EQ(Of("aten::mm", R"({"Input Dims":[[2,3],[3,5]]})"), 60);
  EXPECT_EQ(Of("aten::addmm", R"({"Input Dims":[[5],[2,3],[3,5],[],[]]})"), 60);
  EXPECT_EQ(Of("aten::bmm", R"({"Input Dims":[[7,2,3],[7,3,5]]})"), 420);
  EXPECT_EQ(Of("aten::convolution",
               R"({"Input Dims":[[10,4,8,8],[6,4,3,3],[],[],[],[],[],[],[]],)"
               R"("Concrete Inputs":["","","","[2, 2]","[1, 1]","[1, 1]","False","[0, 0]","1"]})"),
            2.0 * 10 * 4 * 4 * 6 * 4 * 9);
  EXPECT_EQ(Of("aten::convolution_backward",
               R"({"Input Dims":[[10,6,4,4],[10,4,8,8],[6,4,3,3],[],[],[],[],[],[],[],[]],)"
               R"("Concrete Inputs":["","","","[0]","[2, 2]","[1, 1]","[1, 1]","False","[0, 0]",)"
               R"("1","[False, True, False]"]})"),
            2.0 * 10 * 4 * 4 * 6 * 4 * 9);
  EXPECT_EQ(Of("aten::_scaled_dot_product_flash_attention",
               R"({"Input Dims":[[2,3,16,8],[2,3,16,8],[2,3,16,8]]})"),
            2.0 * 2 * 3 * 16 * 16 * 16);
  EXPECT_EQ(Of("aten::_scaled_dot_product_flash_attention_backward",
               R"({"Input Dims":[[2,3,16,8],[2,3,16,8],[2,3,16,8],[2,3,16,8]]})"),
            2.0 * 2 * 3 * 16 * 16 * (3 * 8 + 2 * 8));
}

TEST(FlopFormulasTest, WhatIsNotToldIsNotKnown) {
  EXPECT_EQ(Of("aten::mm", "{}"), std::nullopt);
  EXPECT_EQ(Of("aten::mm", R"({"Input Dims":[[2,3],[4,5]]})"), std::nullopt);
  EXPECT_EQ(Of("aten::mm", R"({"Input Dims":[[-2,3],[3,5]]})"), std::nullopt);
  EXPECT_EQ(Of("aten::mm", R"({"Input Dims":[["2",3],[3,5]]})"), std::nullopt);
  EXPECT_EQ(Of("aten::convolution", R"({"Input Dims":[[10,4,8,8],[6,4,3,3]]})"), std::nullopt);
  EXPECT_EQ(Of("aten::add", R"({"Input Dims":[[2,3],[2,3]]})"), std::nullopt);
}

TEST(FlopFormulasTest, BackwardTellsWhatForwardPutsOut) {
  ConvolutionOutputs outputs;
  const CallInputs backward = ReadInputs(R"({"Input Dims":[[1,4,8,8],[1,6,4,4],[6,4,3,3]]})");
  outputs.Learn("aten::cudnn_convolution_backward", backward);
  const CallInputs forward = ReadInputs(R"({"Input Dims":[[1,4,8,8],[6,4,3,3]]})");
  const double flops = 2.0 * 4 * 4 * 6 * 4 * 9;
  EXPECT_EQ(FlopsOf("aten::cudnn_convolution", forward, {}, outputs)->flops, flops);
  EXPECT_EQ(FlopsOf("aten::cudnn_convolution_backward_input", {}, backward, outputs)->flops, flops);
  // With another stride there are two outputs: neither is taken.
  outputs.Learn("aten::cudnn_convolution_backward",
                ReadInputs(R"({"Input Dims":[[1,4,8,8],[1,6,8,8],[6,4,3,3]]})"));
  EXPECT_FALSE(FlopsOf("aten::cudnn_convolution", forward, {}, outputs));
}

TEST(OperatorFlopsTest, ASubOperatorIsPartOfItsCall) {
  store::StringTable strings;
  const Trace trace = DrawTrace(R"(
t1 step ProfilerStep#0 0 100
t1 step ProfilerStep#1 100 200
t1 op aten::mm 10 50 ext=1 details={"Input Dims":[[2,3],[3,5]],"Input type":["float","float"]}
t1 op aten::mm 12 40 ext=2 details={"Input Dims":[[2,3],[3,5]],"Input type":["float","float"]}
t1 runtime cudaLaunchKernel 13 15 corr=1 ext=2
t1 op aten::add 60 70 ext=3
t1 runtime cudaLaunchKernel 61 62 corr=2 ext=3
t1 op aten::mm 250 260 details={"Input Dims":[[2,3],[3,5]]}
s7 kernel ampere_sgemm_128x64 20 40 corr=1
s7 kernel volta_sgemm_64x64 70 75 corr=2
)",
                                strings);
  const OperatorFlops flops = CountOperatorFlops(trace);
  const OperatorFlops::OfRank& rank = flops.ranks.at(0);
  EXPECT_EQ(rank.steps, 2);
  EXPECT_EQ(rank.calls, 1);
  EXPECT_EQ(rank.by_precision.at("FP32"), 60);  // nothing of what is beside the steps
  EXPECT_EQ(rank.counted_ns, 20);
  EXPECT_EQ(rank.uncounted_ns, 5);
  EXPECT_EQ(rank.tokens, std::nullopt);
  const auto& gemm = flops.classes[static_cast<size_t>(KernelClass::kGemm)];
  EXPECT_EQ(gemm.flops, 60);
  EXPECT_EQ(gemm.ns, 20);
}

TEST(OperatorFlopsTest, TokensAreOfTheLargestEmbeddingOfAModelWithAttention) {
  store::StringTable strings;
  const std::string attention =
      R"(t1 op aten::_scaled_dot_product_flash_attention 50 60 details={"Input Dims":)"
      R"([[2,3,16,8],[2,3,16,8],[2,3,16,8]]})";
  const std::string embeddings = R"(
t1 op aten::embedding 10 20 details={"Input Dims":[[50000,64],[2,16],[],[],[]]}
t1 op aten::embedding 20 30 details={"Input Dims":[[1024,64],[1,16],[],[],[]]}
)";
  EXPECT_EQ(CountOperatorFlops(DrawTrace(embeddings + attention, strings)).ranks.at(0).tokens, 32);
  EXPECT_EQ(CountOperatorFlops(DrawTrace(embeddings, strings)).ranks.at(0).tokens, std::nullopt);
}

}  // namespace
}  // namespace steptrace::analyze
