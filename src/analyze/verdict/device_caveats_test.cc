// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/device_caveats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analyze/attribution/trace_steps.h"
#include "analyze/report/build_report.h"
#include "present/words/finding_sentence.h"
#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string EvidenceOf(const std::string& text) {
  store::StringTable strings;
  const Trace trace = DrawTrace(text, strings);
  const auto rows = DeriveTraceSteps(trace.ranks[0], strings);
  ReportInput input;
  input.strings = &strings;
  input.steps = rows;
  input.profile = trace;
  std::string evidence;
  for (const model::Finding& one : BuildReport(input).verdict.evidence) {
    evidence += present::SentenceOf(one).text + "\n";
  }
  return evidence;
}

TEST(DeviceCaveats, StepsOfAThreadDoNotOverlap) {
  const std::string work = R"(
t1 op aten::mm 0 3000000
t1 runtime cudaLaunchKernel 10 20 corr=1
s7 kernel gemm 20 3000000 corr=1
t1 step ProfilerStep#1 0 1000000
t1 step ProfilerStep#2 1000000 2000000
)";
  EXPECT_THAT(EvidenceOf(work + "t1 step ProfilerStep#3 2000000 3000000\n"),
              Not(HasSubstr("which cannot be")));
  EXPECT_THAT(
      EvidenceOf(work + "t1 step ProfilerStep#3 1500000 3000000\n"),
      HasSubstr("steps of rank 0 begin before the previous step on their thread has ended (1)"));
}

TEST(DeviceCaveats, MarksWithinAStepAreNoClockFault) {
  const std::string text = R"(
t1 op aten::mm 0 2000000
t1 cat:step_annotation train 0 1000000 details={"step_num":"1"}
t1 cat:step_annotation micro 500000 900000 details={"step_num":"0"}
t1 cat:step_annotation train 1000000 2000000 details={"step_num":"2"}
)";
  EXPECT_THAT(EvidenceOf(text),
              HasSubstr("a step mark lies inside another on the same thread of rank 0"));
  EXPECT_THAT(EvidenceOf(text), Not(HasSubstr("which cannot be")));
}

TEST(DeviceCaveats, WorkBeforeTheRecordingIsSaid) {
  const std::string text = R"(
t1 step ProfilerStep#1 0 400000
t1 op aten::mm 0 400000
t1 runtime cudaLaunchKernel 0 10 corr=1
s7 kernel gemm 100010 400000 corr=1
)";
  EXPECT_THAT(EvidenceOf(text), HasSubstr("recording of rank 0's device starts 100"));
}

}  // namespace
}  // namespace steptrace::analyze
