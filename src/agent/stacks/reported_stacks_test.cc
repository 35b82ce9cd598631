// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/reported_stacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steptrace::agent {
namespace {

using ::testing::SizeIs;

// The texts of an arena by id, from 1, and the stacks that become of them.
class ReportedStacksTest : public ::testing::Test {
 protected:
  std::optional<int32_t> StackOf(uint32_t id) {
    return reported_.StackOf(id, [this](uint32_t text) -> std::optional<std::string> {
      ++asked_;
      if (text == 0 || text > arena_.size()) return std::nullopt;
      return arena_[text - 1];
    });
  }

  std::vector<std::string> arena_;
  int asked_ = 0;
  CodeTexts texts_;
  StackTable stacks_{texts_};
  ReportedStacks reported_{texts_, stacks_};
};

TEST_F(ReportedStacksTest, AChainBecomesAStackOfCallersBeforeCallees) {
  arena_ = {R"(["<module>","/a.py"])", "[0,1,7]", R"(["C.f","/b.py"])", "[2,3,20]", "[2,3,21]"};
  EXPECT_EQ(StackOf(4), 1);
  EXPECT_EQ(StackOf(5), 2);
  EXPECT_EQ(StackOf(2), 0);
  const auto rows = stacks_.TakeNew();
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_EQ(rows[0].parent, std::nullopt);
  EXPECT_EQ(rows[0].function, "<module>");
  EXPECT_EQ(rows[0].line, 7);
  EXPECT_EQ(rows[1].parent, 0);
  EXPECT_EQ(rows[1].function, "C.f");
  EXPECT_EQ(rows[1].file, "/b.py");
  EXPECT_EQ(rows[2].line, 21);
  const int asked = asked_;
  EXPECT_EQ(StackOf(4), 1);
  EXPECT_EQ(asked_, asked) << "a text is read once";
}

TEST_F(ReportedStacksTest, ProcessesThatRunTheSameCodeHaveTheSameStacks) {
  arena_ = {R"(["f","a"])", "[0,1,7]"};
  EXPECT_EQ(StackOf(2), 0);
  ReportedStacks other(texts_, stacks_);
  const auto text_of = [](uint32_t id) -> std::optional<std::string> {
    return id == 9 ? "[0,8,7]" : R"(["f","a"])";
  };
  EXPECT_EQ(other.StackOf(9, text_of), 0);
}

TEST(StackTable, TablesThatShareNumbersGiveEachOnce) {
  const auto numbers = std::make_shared<StackNumbers>(0);
  CodeTexts texts;
  const uint32_t f = texts.Intern("f");
  StackTable one(texts, numbers), two(texts, numbers);
  EXPECT_EQ(one.Extend(-1, {f, f, 1}), 0);
  EXPECT_EQ(two.Extend(-1, {f, f, 1}), 1);
  EXPECT_EQ(two.Extend(1, {f, f, 2}), 2);
  EXPECT_EQ(one.Extend(0, {f, f, 2}), 3);
  EXPECT_EQ(one.Extend(-1, {f, f, 1}), 0);
}

TEST(StackTable, ACallerWithoutRoomHasCalleesWithout) {
  CodeTexts texts;
  const uint32_t f = texts.Intern("f");
  StackTable table(texts, 1);
  EXPECT_EQ(table.Extend(-1, {f, f, 1}), 0);
  const int32_t full = table.Extend(0, {f, f, 2});
  EXPECT_EQ(full, 1);
  EXPECT_EQ(table.Extend(full, {f, f, 3}), full);
  EXPECT_EQ(table.Extend(-1, {f, f, 1}), 0) << "what was there stays";
  EXPECT_THAT(table.TakeNew(), SizeIs(2));
}

struct BadText {
  const char* name;
  const char* text;  // of id 2; 1 is code, 3 is not there
};

class BadTexts : public ReportedStacksTest, public ::testing::WithParamInterface<BadText> {};

TEST_P(BadTexts, IsNoStack) {
  arena_ = {R"(["f","a.py"])", GetParam().text};
  EXPECT_EQ(StackOf(2), std::nullopt);
  EXPECT_THAT(stacks_.TakeNew(), SizeIs(0));
}

const std::string kDeep = std::string(2000, '[');
const std::string kLong = "[0,1,1" + std::string(4096, ' ') + "]";

INSTANTIATE_TEST_SUITE_P(
    Malice, BadTexts,
    ::testing::Values(BadText{"ItsOwnCaller", "[2,1,1]"}, BadText{"ALaterCaller", "[3,1,1]"},
                      BadText{"ACallerThatIsCode", "[1,1,1]"}, BadText{"CodeThatIsNot", "[0,3,1]"},
                      BadText{"CodeThatIsItself", "[0,2,1]"}, BadText{"NoCode", "[0,0,1]"},
                      BadText{"ANegativeLine", "[0,1,-1]"},
                      BadText{"ALineOf64Bits", "[0,1,18446744073709551615]"},
                      BadText{"ANumberWithAPoint", "[0.5,1,1]"},
                      BadText{"Texts", R"(["0","1","1"])"}, BadText{"TooFew", "[0,1]"},
                      BadText{"TooMany", "[0,1,1,1]"}, BadText{"AnObject", "{}"},
                      BadText{"NoJson", "[0,1,"}, BadText{"Nothing", ""},
                      BadText{"Nested", kDeep.c_str()}, BadText{"TooLong", kLong.c_str()}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(ReportedStacksTest, UnknownIdsGiveNoStack) {
  EXPECT_EQ(StackOf(0), std::nullopt);
  EXPECT_EQ(StackOf(1), std::nullopt);
  EXPECT_EQ(StackOf(UINT32_MAX), std::nullopt);
}

TEST_F(ReportedStacksTest, DepthIsBoundedHoweverItIsAskedFor) {
  arena_ = {R"(["f","a.py"])"};
  for (uint32_t id = 2; id < 1000; ++id) {
    arena_.push_back("[" + std::to_string(id == 2 ? 0 : id - 1) + ",1,1]");
  }
  EXPECT_EQ(StackOf(999), std::nullopt) << "at once";
  EXPECT_LE(asked_, 2 * static_cast<int>(ReportedStacks::kMaxFrames) + 2);
  int taken = 0;
  for (uint32_t id = 2; id < 1000; ++id) taken += StackOf(id).has_value() ? 1 : 0;
  EXPECT_EQ(taken, static_cast<int>(ReportedStacks::kMaxFrames)) << "one by one";
}

TEST_F(ReportedStacksTest, RefusedTextIsNotReadAgain) {
  arena_ = {R"(["f","a.py"])", "no code", "[0,2,1]"};
  for (uint32_t id = 4; id < 1000; ++id) arena_.push_back("[" + std::to_string(id - 1) + ",1,1]");
  for (uint32_t id = 1; id < 1000; ++id) EXPECT_EQ(StackOf(id), std::nullopt);
  EXPECT_LE(asked_, 1002) << "each once, and what stands for code once more";
  const int asked = asked_;
  for (uint32_t id = 999; id > 0; --id) EXPECT_EQ(StackOf(id), std::nullopt);
  EXPECT_EQ(asked_, asked);
}

TEST_F(ReportedStacksTest, AChainThatIsTooDeepIsReadOnce) {
  arena_ = {R"(["f","a.py"])", "[0,1,1]"};
  for (uint32_t id = 3; id < 3000; ++id) arena_.push_back("[" + std::to_string(id - 1) + ",1,1]");
  for (uint32_t id = 2999; id > 1000; --id) EXPECT_EQ(StackOf(id), std::nullopt);
  EXPECT_LE(asked_, 3000);
  EXPECT_EQ(StackOf(2), 0) << "its callers are a stack";
  EXPECT_EQ(StackOf(ReportedStacks::kMaxFrames + 1),
            static_cast<int>(ReportedStacks::kMaxFrames) - 1);
  EXPECT_EQ(StackOf(ReportedStacks::kMaxFrames + 2), std::nullopt);
}

TEST_F(ReportedStacksTest, ATextThatIsNotThereYetIsAskedForAgain) {
  EXPECT_EQ(StackOf(2), std::nullopt);
  arena_ = {R"(["f","a.py"])", "[0,1,1]"};
  EXPECT_EQ(StackOf(2), 0);
}

TEST_F(ReportedStacksTest, APaceIsReadOnceAndItsChangesAreToldSoManyTimes) {
  arena_ = {R"({"period_ns":50000000})", "[]"};
  const auto text_of = [this](uint32_t id) -> std::optional<std::string> {
    ++asked_;
    return id <= arena_.size() ? std::optional(arena_[id - 1]) : std::nullopt;
  };
  for (int time = 0; time < 3; ++time) {
    ASSERT_TRUE(reported_.PaceOf(1, text_of));
    EXPECT_EQ(reported_.PaceOf(1, text_of)->period_ns, 50'000'000);
    EXPECT_FALSE(reported_.PaceOf(2, text_of));
  }
  EXPECT_EQ(asked_, 2);
  EXPECT_FALSE(reported_.PaceOf(3, text_of));
  int reported = 0;
  for (int change = 0; change < 1000; ++change) reported += reported_.TakePaceChange() ? 1 : 0;
  EXPECT_EQ(reported, ReportedStacks::kMaxPaceChanges);
}

TEST_F(ReportedStacksTest, ASampleStandsForTheTimeSinceTheLastButAtMostTwoPeriods) {
  reported_.SetPeriod(100);
  EXPECT_EQ(reported_.IntervalOf(7, 1000), 100) << "the first";
  EXPECT_EQ(reported_.IntervalOf(7, 1090), 90);
  EXPECT_EQ(reported_.IntervalOf(8, 1100), 100);
  EXPECT_EQ(reported_.IntervalOf(7, 2000), 200);
  EXPECT_EQ(reported_.IntervalOf(7, 1500), 0) << "time does not go back";
  reported_.SetPeriod(400);
  EXPECT_EQ(reported_.IntervalOf(7, 2000), 500);
}

TEST_F(ReportedStacksTest, ThreadsWithoutEndAreNotTaken) {
  reported_.SetPeriod(100);
  int32_t taken = 0;
  for (int32_t tid = 1; tid < 100'000; ++tid) {
    if (!reported_.TakesThread(tid)) continue;
    EXPECT_EQ(reported_.IntervalOf(tid, 1000), 100);
    ++taken;
  }
  EXPECT_EQ(taken, ReportedStacks::kMaxThreadsEver);
  EXPECT_TRUE(reported_.TakesThread(taken)) << "one that is known goes on";
  EXPECT_EQ(reported_.IntervalOf(taken, 1050), 50);
}

TEST(ReportedPace, IsReadWithItsBounds) {
  const auto pace = ReportedStacks::ReadPace(
      R"({"period_ns":50000000,"cpu_ns":3,"wall_ns":1000,"threads_left_out":true})");
  ASSERT_TRUE(pace);
  EXPECT_EQ(pace->period_ns, 50'000'000);
  EXPECT_EQ(pace->cpu_ns, 3);
  EXPECT_EQ(pace->wall_ns, 1000);
  EXPECT_TRUE(pace->threads_left_out);
  const auto plain = ReportedStacks::ReadPace(R"({"period_ns":1,"cpu_ns":-1,"wall_ns":0})");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->wall_ns, 0);
  EXPECT_FALSE(plain->threads_left_out);
  for (const char* none : {"", "[]", "{}", R"({"period_ns":0})", R"({"period_ns":"1"})",
                           R"({"period_ns":99999999999999})"}) {
    EXPECT_FALSE(ReportedStacks::ReadPace(none)) << none;
  }
}

}  // namespace
}  // namespace steptrace::agent
