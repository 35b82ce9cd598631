// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/slow_calls.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/attribution/trace_steps.h"
#include "analyze/report/build_report.h"
#include "present/words/finding_sentence.h"
#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kStepMs = 1'000'000;

struct Said {
  std::vector<std::string> evidence, advice;
};

// Three steps of 100 ms, in each of which one call takes so long and its kernel 1 ms.
Said SaidOf(const std::string& call, int64_t call_ns) {
  store::StringTable strings;
  std::string text;
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t at = i * 100 * kStepMs;
    text += fmt::format("t1 step ProfilerStep#{} {} {}\n", i, at, at + 100 * kStepMs);
    text += fmt::format("t1 runtime {} {} {} corr={}\n", call, at, at + call_ns, i);
    text += fmt::format("s7 kernel gemm {} {} corr={}\n", at + call_ns, at + call_ns + kStepMs, i);
    for (int64_t ms = 0; ms < 95; ms += 5) {
      text += fmt::format("t1 op aten::mm {} {}\n", at + ms * kStepMs, at + (ms + 5) * kStepMs);
    }
  }
  const Trace trace = DrawTrace(text, strings);
  const auto rows = DeriveTraceSteps(trace.ranks[0], strings);
  ReportInput input;
  input.strings = &strings;
  input.steps = rows;
  input.profile = trace;
  const Report report = BuildReport(input);
  EXPECT_EQ(report.verdict.suspect, "framework_overhead");
  Said said;
  for (const model::Finding& one : report.verdict.evidence) {
    said.evidence.push_back(present::SentenceOf(one).text);
  }
  for (const Advice& one : report.verdict.advice) {
    said.advice.push_back(present::SentenceOf(one.what).text);
  }
  return said;
}

TEST(SlowCalls, KernelLoadingIsReportedWithoutFusionAdvice) {
  const Said said = SaidOf("hipLaunchKernel", 80 * kStepMs);
  EXPECT_THAT(said.evidence,
              Contains("3 device runtime calls take over 10 ms, 240 ms in total; one of "
                       "hipLaunchKernel takes 80 ms"));
  EXPECT_THAT(said.advice, Contains(HasSubstr("load or compile kernels")));
  EXPECT_THAT(said.advice, Not(Contains(HasSubstr("fuse operators"))));
}

TEST(SlowCalls, AreNoneWhereLaunchesAreShort) {
  const Said said = SaidOf("cudaLaunchKernel", 9 * kStepMs);
  EXPECT_THAT(said.evidence, Not(Contains(HasSubstr("calls of the device's runtime"))));
  EXPECT_THAT(said.advice, Contains(HasSubstr("fuse operators")));
}

TEST(SlowCalls, AreNoneThatWait) {
  const Said said = SaidOf("cudaStreamSynchronize", 80 * kStepMs);
  EXPECT_THAT(said.evidence, Not(Contains(HasSubstr("device's runtime"))));
  EXPECT_THAT(said.advice, Contains(HasSubstr("let the host run ahead")));
}

}  // namespace
}  // namespace steptrace::analyze
