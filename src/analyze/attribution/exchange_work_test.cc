// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/exchange_work.h"

#include <gtest/gtest.h>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

store::StepRow Row(int64_t ts_ns, int64_t dur_ns, int32_t backwards) {
  store::StepRow row;
  row.ts_ns = ts_ns;
  row.dur_ns = dur_ns;
  row.backwards = backwards;
  row.operators_ns = 1;
  return row;
}

// 20 us of packing with its operator, 5 of starting the exchange, 15 of unpacking, in two backward
// passes; what is multiplied or started elsewhere is none of it.
constexpr const char* kStep = R"(
t1 op "autograd::engine::evaluate_function: AccumulateGrad" 100000 140000
t1 op torch::distributed::reducer::mul_out 110000 130000
t1 op aten::mul 112000 128000
t1 op c10d::allreduce_ 130000 135000
t1 op torch.distributed.ddp.reducer::copy_bucket_to_grad 200000 215000
t1 op aten::copy_ 201000 214000
t1 op aten::mul 220000 290000
t1 op c10d::allreduce_ 300000 390000
)";

TEST(ExchangeWorkTest, IsWhatTheReducerDoesOfEachBackward) {
  store::StringTable strings;
  const Trace trace = DrawTrace(kStep, strings);
  store::StepRow outside = Row(500'000, 400'000, 3);
  outside.operators_ns.reset();
  const std::vector<store::StepRow> rows = {Row(0, 400'000, 2), outside};
  EXPECT_DOUBLE_EQ(ExchangeWorkOfBackward(trace, rows), 40'000 / 2.0);
}

TEST(ExchangeWorkTest, AStepWhoseOperatorsWereLostDoesNotCount) {
  store::StringTable strings;
  const Trace trace = DrawTrace(kStep, strings);
  const std::vector<store::StepRow> rows = {Row(0, 400'000, 2), Row(500'000, 400'000, 2)};
  EXPECT_DOUBLE_EQ(ExchangeWorkOfBackward(trace, rows), 40'000 / 2.0);
}

TEST(ExchangeWorkTest, CollectivesOfTheScriptHaveTheirOwnPhase) {
  store::StringTable strings;
  const Trace trace = DrawTrace(kStep, strings);
  store::StepRow row = Row(0, 400'000, 1);
  row.communication_phase_ns = 5000;
  EXPECT_DOUBLE_EQ(ExchangeWorkOfBackward(trace, std::vector{row}), 35'000);
}

// A rank that packs for longer makes the others wait: what all of them do is the exchange.
TEST(ExchangeWorkTest, OfSeveralRanksItIsTheLeast) {
  store::StringTable strings;
  Trace trace = DrawTrace(std::string("rank 0\n") + kStep + "rank 1\n" + R"(
t1 op torch::distributed::reducer::mul_out 110000 120000
t1 op aten::mul 220000 290000
)",
                          strings);
  store::StepRow other = Row(0, 400'000, 2);
  other.rank = 1;
  EXPECT_DOUBLE_EQ(ExchangeWorkOfBackward(trace, std::vector{Row(0, 400'000, 2), other}),
                   10'000 / 2.0);
}

TEST(ExchangeWorkTest, WithoutAReducerThereIsNone) {
  store::StringTable strings;
  const Trace trace =
      DrawTrace("t1 op aten::mul 100 200\nt1 op c10d::allreduce_ 200 300\n", strings);
  EXPECT_EQ(ExchangeWorkOfBackward(trace, std::vector{Row(0, 1000, 1)}), 0);
  EXPECT_EQ(ExchangeWorkOfBackward(DrawTrace(kStep, strings), {}), 0);
}

}  // namespace
}  // namespace steptrace::analyze
