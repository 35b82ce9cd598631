// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/host_exchange.h"

#include <gtest/gtest.h>

#include <string>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

// Of a profile whose facts tell nothing.
std::string ExchangeOf(const std::string& text) {
  store::StringTable strings;
  const Trace trace = DrawTrace(text, strings);
  ReportInput input;
  input.strings = &strings;
  input.profile = trace;
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
  return FindHostExchange(known);
}

TEST(HostExchangeTest, IsKnownByHowItsCollectivesAreCalled) {
  EXPECT_EQ(ExchangeOf("t1 op gloo:all_reduce 0 10\n"), "gloo");
  EXPECT_EQ(ExchangeOf("t1 op mpi:all_reduce 0 10\n"), "mpi");
  EXPECT_EQ(ExchangeOf("t1 op aten::mm 0 10\n"), "");
}

TEST(HostExchangeTest, BesideThatOfDevicesItIsNotTheOneThatCounts) {
  EXPECT_EQ(ExchangeOf("t1 op gloo:barrier 0 10\nt1 op nccl:all_reduce 10 20\n"), "");
  EXPECT_EQ(ExchangeOf("t1 op nccl:all_reduce 0 10\nt1 op gloo:barrier 10 20\n"), "");
}

}  // namespace
}  // namespace steptrace::analyze
