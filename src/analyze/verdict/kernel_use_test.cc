// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/kernel_use.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "analyze/report/build_report.h"
#include "present/words/finding_sentence.h"
#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

// Steps of 100 µs each, whose device is never idle: `first` and `second` share each of them.
std::string ModelOf(const char* device, const char* first, const char* second, int percent) {
  std::string text = fmt::format("fact device {{\"id\":0,\"name\":\"{}\"}}\n", device);
  int correlation = 0;
  for (int step = 0; step < 5; ++step) {
    const int at = step * 100'000;
    const int middle = at + percent * 1000;
    text += fmt::format("t1 step ProfilerStep#{} {} {}\n", step, at, at + 100'000);
    text +=
        fmt::format("t1 runtime cudaLaunchKernel {} {} corr={}\n", at + 10, at + 12, ++correlation);
    text += fmt::format("s7 kernel {} {} {} corr={}\n", first, at, middle, correlation);
    text +=
        fmt::format("t1 runtime cudaLaunchKernel {} {} corr={}\n", at + 20, at + 22, ++correlation);
    text += fmt::format("s7 kernel {} {} {} corr={}\n", second, middle, at + 100'000, correlation);
  }
  return text;
}

class KernelUseTest : public ::testing::Test {
 protected:
  // What would be advised, sentence by sentence; the trace alone is looked at.
  std::vector<std::string> AdviceOn(const std::string& text) {
    trace_ = DrawTrace(text, strings_);
    ReportInput input;
    input.strings = &strings_;
    input.profile = trace_;
    input.facts = trace_.facts;
    const JobFacts facts;
    const StepSelection selection;
    const LoadSummary load({}, {}, {}, 0, 0);
    const StepTimes times(input, selection, AttributionRules());
    const HostIdle idle;
    const std::vector<StageRow> stages;
    const VerdictInput known = {.report = input,
                                .selection = selection,
                                .times = times,
                                .load = load,
                                .facts = facts,
                                .idle = idle,
                                .stages = stages};
    evidence_ = KernelClassesEvidence(known);
    std::vector<std::string> said;
    for (const model::Finding& one : AdviseKernels(known)) {
      said.push_back(present::SentenceOf(one).text);
    }
    return said;
  }

  store::StringTable strings_;
  Trace trace_;
  std::optional<model::Finding> evidence_;
};

TEST_F(KernelUseTest, MemoryBoundKernelsAreToBeFused) {
  const auto said = AdviceOn(ModelOf("NVIDIA H100 80GB HBM3", "sm90_xmma_gemm_bf16bf16",
                                     "vectorized_elementwise_kernel", 60));
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(
      said[0].starts_with("fuse memory-bound kernels, 40 % of kernel time "
                          "(mostly elementwise): use torch.compile"))
      << said[0];
  ASSERT_TRUE(evidence_);
  EXPECT_EQ(present::SentenceOf(*evidence_).text,
            "kernels and copies, summed: 60 % GEMM, 40 % elementwise");
}

TEST_F(KernelUseTest, TheClassToFuseIsThatOfMostKernelTime) {
  // The driver's copies are of the class of copies, and none of its kernels.
  std::string text = ModelOf("NVIDIA H100 80GB HBM3", "sm90_xmma_gemm_bf16bf16",
                             "vectorized_elementwise_kernel", 60);
  text += "s8 memcpy \"Memcpy HtoD\" 0 450000\n";
  text += "s8 kernel direct_copy_kernel 450000 460000\n";
  const auto said = AdviceOn(text);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("(mostly elementwise)"), std::string::npos) << said[0];
}

TEST_F(KernelUseTest, ProductsInFullPrecisionAreAdvisedToUseTensorCores) {
  auto said = AdviceOn(ModelOf("NVIDIA A100-SXM4-40GB", "ampere_sgemm_128x64_nn", "softmax_f", 90));
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(said[0].starts_with("matrix products in FP32 take 90 % of kernel time")) << said[0];
  EXPECT_NE(said[0].find("TF32"), std::string::npos);
  EXPECT_NE(said[0].find("BF16"), std::string::npos);

  said = AdviceOn(ModelOf("Tesla V100-SXM2-32GB", "volta_sgemm_128x64_nn", "softmax_f", 90));
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0].find("TF32"), std::string::npos);
  EXPECT_NE(said[0].find("torch.autocast in FP16"), std::string::npos);
}

TEST_F(KernelUseTest, WithoutEvidenceTheKernelsAreToBeLookedAt) {
  const auto look = [](const std::vector<std::string>& said) {
    return said.size() == 1 && said[0].starts_with("start with the kernels");
  };
  EXPECT_TRUE(look(AdviceOn(ModelOf("Some GPU", "ampere_sgemm_128x64_nn", "softmax_f", 90))));
  EXPECT_TRUE(look(AdviceOn(ModelOf("NVIDIA A100", "cutlass_80_tensorop_s1688gemm", "mine", 90))));
  EXPECT_TRUE(look(AdviceOn(ModelOf("NVIDIA A100", "dgemm_f64", "softmax_f", 90))));
}

}  // namespace
}  // namespace steptrace::analyze
