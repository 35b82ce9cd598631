// SPDX-License-Identifier: Apache-2.0
#include "agent/hookless_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "agent/utf8.h"
#include "base/time.h"

namespace steptrace::agent {
namespace {

using testing::HasSubstr;

using Kind = NoHooks::Kind;

HooklessProcess Process(std::vector<std::string> arguments, uid_t owner = 1000) {
  return {10, "python3", owner, std::move(arguments)};
}

constexpr int32_t kNoSuchPid = 1 << 30;

NoHooks Explain(const std::vector<HooklessProcess>& processes, const HooksMarks& marks,
                uid_t own = 1000) {
  return ExplainNoHooks(processes, own, marks);
}

TEST(HooklessWatch, NamesTheOptionThatKeptTheHooksOut) {
  EXPECT_THAT(Explain({Process({"python3", "-S", "x.py"})}, {}).text, HasSubstr("-S"));
  EXPECT_THAT(Explain({Process({"python3", "-uI", "x.py"})}, {}).text, HasSubstr("-I"));
  EXPECT_THAT(Explain({Process({"/usr/bin/python3", "x.py", "-S"})}, {}).text,
              HasSubstr("environment"))
      << "an option of the script is none of Python's";
  EXPECT_THAT(Explain({Process({"python3", "-c", "-S"})}, {}).text, HasSubstr("environment"));
}

TEST(HooklessWatch, NamesAnotherUser) {
  EXPECT_THAT(Explain({Process({"python3", "x.py"}, 65534)}, {}).text, HasSubstr("65534"));
}

TEST(HooklessWatch, ProgramsOfOtherLanguages) {
  HooklessProcess shell{10, "sh", 1000, {"sh", "-c", "true"}};
  EXPECT_THAT(Explain({shell}, {}).text, HasSubstr("steptrace.h"));
  EXPECT_EQ(Explain({shell}, {}).kind, Kind::kNothingThere) << "it had nothing to lose";
  EXPECT_EQ(Explain({shell, Process({"python3", "x.py"})}, {}).kind, Kind::kLoss);
  EXPECT_FALSE(Explain({}, {}).text.empty());
}

TEST(HooklessWatch, PythonsThatLoadedTheHooksAreNoneThatTheyDidNotReach) {
  const HooklessProcess idle = Process({"python3", "x.py"});
  EXPECT_EQ(Explain({idle}, {.loaded = true}).kind, Kind::kIdle);
  EXPECT_EQ(Explain({idle}, {.loaded = true, .off = true}).kind, Kind::kOff);
  EXPECT_EQ(Explain({}, {.loaded = true}).kind, Kind::kIdle) << "it ended before it was seen";
  const NoHooks kept_out = Explain({idle, Process({"python3", "-S", "x.py"})}, {.loaded = true});
  EXPECT_EQ(kept_out.kind, Kind::kLoss) << "another of them, which is the one that trains";
  EXPECT_THAT(kept_out.text, HasSubstr("-S"));
}

TEST(HooklessWatch, ARunInARun) {
  const HooklessProcess inner{
      10, "steptrace", 1000, {"/opt/bin/steptrace", "run", "--", "python3"}};
  const NoHooks why = Explain({inner, Process({"python3", "x.py"})}, {.loaded = true});
  EXPECT_EQ(why.kind, Kind::kNothingThere);
  EXPECT_THAT(why.text, HasSubstr("its own run"));
}

TEST(HooklessWatch, ACommandThatEndsAtOnceIsKnownByWhatWasAskedFor) {
  HooklessWatch watch;
  watch.Expect(kNoSuchPid, {"/usr/bin/python3", "-S", "x.py"});
  watch.Look(kNoSuchPid);
  EXPECT_THAT(Explain(watch.Seen(), {}, geteuid()).text, HasSubstr("-S"));
}

TEST(ValidUtf8, KeepsCharactersAndReplacesTheRest) {
  EXPECT_EQ(ToValidUtf8("plain"), "plain");
  EXPECT_EQ(ToValidUtf8("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
            "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  const std::string kBad = "\xEF\xBF\xBD";
  EXPECT_EQ(ToValidUtf8("\xFF"), kBad);
  EXPECT_EQ(ToValidUtf8("\xC0\xAF"), kBad + kBad) << "overlong";
  EXPECT_EQ(ToValidUtf8("\xED\xA0\x80"), kBad + kBad + kBad) << "a surrogate";
  EXPECT_EQ(ToValidUtf8("\xF4\x90\x80\x80"), kBad + kBad + kBad + kBad) << "beyond Unicode";
  EXPECT_EQ(ToValidUtf8("a\xE2\x82"), "a" + kBad + kBad) << "cut off";
  EXPECT_EQ(ToValidUtf8(std::string("a\0b", 3)), std::string("a\0b", 3));
}

TEST(HooklessWatch, LooksOftenAtFirstAndSeldomLater) {
  HooklessWatch watch;
  int looks = 0;
  int in_the_first_second = 0;
  for (int64_t now_ns = 0; now_ns < 3600 * kNsPerSecond; now_ns += 100 * kNsPerMs) {
    looks += watch.TakeDue(now_ns) ? 1 : 0;
    if (now_ns == kNsPerSecond) in_the_first_second = looks;
  }
  EXPECT_GE(in_the_first_second, 5);
  EXPECT_LT(looks, 500);
}

}  // namespace
}  // namespace steptrace::agent
