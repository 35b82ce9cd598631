// SPDX-License-Identifier: Apache-2.0
#include "agent/hookless_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/utf8.h"
#include "base/time.h"

namespace steptrace::agent {
namespace {

using testing::HasSubstr;

HooklessProcess Process(std::vector<std::string> arguments, uid_t owner = 1000) {
  return {10, "python3", owner, std::move(arguments)};
}

TEST(HooklessWatch, NamesTheOptionThatKeptTheHooksOut) {
  EXPECT_THAT(ExplainNoHooks({Process({"python3", "-S", "x.py"})}, 1000).text, HasSubstr("-S"));
  EXPECT_THAT(ExplainNoHooks({Process({"python3", "-uI", "x.py"})}, 1000).text, HasSubstr("-I"));
  EXPECT_THAT(ExplainNoHooks({Process({"/usr/bin/python3", "x.py", "-S"})}, 1000).text,
              HasSubstr("environment"))
      << "an option of the script is none of Python's";
  EXPECT_THAT(ExplainNoHooks({Process({"python3", "-c", "-S"})}, 1000).text,
              HasSubstr("environment"));
}

TEST(HooklessWatch, NamesAnotherUser) {
  EXPECT_THAT(ExplainNoHooks({Process({"python3", "x.py"}, 65534)}, 1000).text, HasSubstr("65534"));
}

TEST(HooklessWatch, ProgramsOfOtherLanguages) {
  HooklessProcess shell{10, "sh", 1000, {"sh", "-c", "true"}};
  EXPECT_THAT(ExplainNoHooks({shell}, 1000).text, HasSubstr("steptrace.h"));
  EXPECT_FALSE(ExplainNoHooks({shell}, 1000).is_loss) << "it had nothing to lose";
  EXPECT_TRUE(ExplainNoHooks({shell, Process({"python3", "x.py"})}, 1000).is_loss);
  EXPECT_FALSE(ExplainNoHooks({}, 1000).text.empty());
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
