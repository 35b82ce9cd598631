// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/recompilations.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace steptrace::analyze {
namespace {

TEST(RecompilationsTest, EachGuardHasItsCause) {
  const std::pair<const char*, GuardCause> kGuards[] = {
      {"tensor 'x' size mismatch at index 0. expected 4, actual 5", GuardCause::kShape},
      {"tensor 'x' rank mismatch. expected 2, actual 3", GuardCause::kShape},
      {"2 <= x.size()[0]", GuardCause::kShape},
      {"tensor 'x' stride mismatch at index 0. expected 3, actual 1", GuardCause::kTensor},
      {"tensor 'L['x']' dtype mismatch. expected Float, actual Double", GuardCause::kTensor},
      {"tensor 'x' requires_grad mismatch. expected requires_grad=0", GuardCause::kTensor},
      {"tag == '…'", GuardCause::kText},
      {"L['tag'] == '…'", GuardCause::kText},
      {"G['SCALE'] == 1", GuardCause::kValue},
      {"self.rate == 1.5", GuardCause::kValue},
      {"n == -1", GuardCause::kValue},
      {"n == …", GuardCause::kValue},
      {"flag == True", GuardCause::kValue},
      {"self.training == True", GuardCause::kState},
      {"GLOBAL_STATE changed: grad_mode", GuardCause::kState},
      {"len(xs) == 1", GuardCause::kLength},
      {"___check_obj_id(fn.__code__, …), type=<class '…'>", GuardCause::kObject},
      {"Duplicate tensors found: [\"x\", '…']", GuardCause::kObject},
      {"BACKEND_MATCH failure: torch.compile detected different backend callables.",
       GuardCause::kObject},
      {"n is None", GuardCause::kOther},
      {"", GuardCause::kOther},
  };
  for (const auto& [guard, cause] : kGuards) EXPECT_EQ(CauseOfGuard(guard), cause) << guard;
}

TEST(RecompilationsTest, LaterReportReplacesAnEarlierOne) {
  std::vector<Recompilation> all;
  const auto tell = [&all](const char* guard, int count, const char* more = "") {
    const std::string text = std::string(R"({"function": "f", "file": "/j/a.py", "line": 4, )") +
                             more + R"("guard": ")" + guard + R"(", "count": )" +
                             std::to_string(count) + "}";
    ReadRecompilation(nlohmann::json::parse(text), all);
  };
  EXPECT_EQ(MostFailed(all), nullptr);
  tell("n == 1", 1);
  tell("tag == '…'", 1);
  tell("n == 1", 4);
  tell("tag == '…'", 2, R"("limit": 8, )");
  tell("tag == '…'", 1);
  ReadRecompilation(nlohmann::json::parse(R"({"guard": 7, "count": "many"})"), all);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(MostFailed(all)->guard, "n == 1");
  EXPECT_EQ(MostFailed(all)->count, 4);
  ASSERT_NE(AtLimit(all), nullptr);
  EXPECT_EQ(AtLimit(all)->limit, 8);
  EXPECT_EQ(AtLimit(all)->count, 2);
}

TEST(RecompilationsTest, HostileFactsAreBounded) {
  std::vector<Recompilation> all;
  for (int i = 0; i < 1000; ++i) {
    ReadRecompilation({{"guard", std::string(1000, 'x') + std::to_string(i)}, {"line", i << 20}},
                      all);
    ReadRecompilation({{"guard", std::to_string(i)}, {"count", -i}}, all);
  }
  EXPECT_LE(all.size(), 256U);
  for (const Recompilation& one : all) {
    EXPECT_LE(one.guard.size(), 300U);
    EXPECT_GE(one.count, 0);
  }
}

}  // namespace
}  // namespace steptrace::analyze
