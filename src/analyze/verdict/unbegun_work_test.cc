// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/unbegun_work.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "analyze/attribution/trace_steps.h"
#include "analyze/report/build_report.h"
#include "present/words/finding_sentence.h"
#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kMillisecond = 1'000'000;

// Three steps of 100 ms: what is launched at their begin begins so much later and takes 19 ms, and
// the host is in that call for so long.
Report ReportOf(const std::string& call, int64_t waited_ms, int64_t begins_ms) {
  store::StringTable strings;
  std::string text;
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t at = i * 100 * kMillisecond;
    text += fmt::format("t1 step ProfilerStep#{} {} {}\n", i, at, at + 100 * kMillisecond);
    text += fmt::format("t1 runtime cudaLaunchKernel {} {} corr={}\n", at, at + kMillisecond, i);
    text += fmt::format("t1 runtime {} {} {}\n", call, at + 2 * kMillisecond,
                        at + (2 + waited_ms) * kMillisecond);
    text += fmt::format("s7 kernel gemm {} {} corr={}\n", at + begins_ms * kMillisecond,
                        at + (begins_ms + 19) * kMillisecond, i);
  }
  const Trace trace = DrawTrace(text, strings);
  const auto rows = DeriveTraceSteps(trace.ranks[0], strings);
  ReportInput input;
  input.strings = &strings;
  input.steps = rows;
  input.profile = trace;
  return BuildReport(input);
}

std::vector<std::string> Advised(const Report& report) {
  std::vector<std::string> advice;
  for (const Advice& one : report.verdict.advice) {
    advice.push_back(present::SentenceOf(one.what).text);
  }
  return advice;
}

const Recommendation& Stalls(const Report& report) {
  return *std::find_if(report.recommendations.begin(), report.recommendations.end(),
                       [](const auto& one) { return one.name == "synchronisation_stalls"; });
}

TEST(UnbegunWork, IsNotCountedAsHostWaiting) {
  // Nor is it where the host waits for that work, as the .item() at a step's end does.
  for (const auto& [call, waited_ms] :
       {std::pair("cudaEventRecord", 10), std::pair("cudaStreamSynchronize", 96)}) {
    const Report report = ReportOf(call, waited_ms, 80);
    EXPECT_THAT(Advised(report), ElementsAre(HasSubstr("launched work does not start at once")));
    EXPECT_THAT(present::SentenceOf(*Stalls(report).text).text,
                ::testing::EndsWith("of the step while launched work does not start"));
    EXPECT_THAT(present::SentenceOf(*Stalls(report).advice).text,
                HasSubstr("another process on the device"));
  }
}

TEST(UnbegunWork, IsNoneWhereTheHostWaitsWithNothingLaunched) {
  for (const char* call : {"cudaStreamSynchronize", "cudaMemcpy"}) {
    const Report report = ReportOf(call, 96, 2);
    EXPECT_THAT(Advised(report), ElementsAre(HasSubstr("let the host run ahead")));
    EXPECT_THAT(present::SentenceOf(*Stalls(report).text).text,
                ::testing::EndsWith("while the host or streams synchronize"));
    EXPECT_THAT(present::SentenceOf(*Stalls(report).advice).text, HasSubstr("avoid .item()"));
  }
}

}  // namespace
}  // namespace steptrace::analyze
