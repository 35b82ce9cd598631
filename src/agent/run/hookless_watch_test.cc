// SPDX-License-Identifier: Apache-2.0
#include "agent/run/hookless_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <initializer_list>
#include <utility>

#include "base/time.h"
#include "present/words/finding_sentence.h"

namespace steptrace::agent {
namespace {

using testing::HasSubstr;

using Kind = NoHooks::Kind;

HooklessProcess Process(std::vector<std::string> arguments, uid_t owner = 1000) {
  return {10, "python3", owner, std::move(arguments)};
}

HooklessProcess Numbered(int32_t pid, std::vector<std::string> arguments, int32_t parent = 0) {
  return {pid, arguments[0], 1000, arguments, parent};
}

HooksMarks Marks(std::initializer_list<std::pair<HooksMark, int32_t>> left) {
  HooksMarks marks;
  for (const auto& [mark, pid] : left) marks.Add(mark, pid);
  return marks;
}

std::string Said(const NoHooks& why) {
  return present::SentenceOf(why.what).text;
}

constexpr int32_t kNoSuchPid = 1 << 30;

NoHooks Explain(const std::vector<HooklessProcess>& processes, const HooksMarks& marks,
                uid_t own = 1000) {
  return ExplainNoHooks(processes, own, marks);
}

TEST(HooklessWatch, NamesTheOptionThatKeptTheHooksOut) {
  EXPECT_THAT(Said(Explain({Process({"python3", "-S", "x.py"})}, {})), HasSubstr("-S"));
  EXPECT_THAT(Said(Explain({Process({"python3", "-uI", "x.py"})}, {})), HasSubstr("-I"));
  EXPECT_THAT(Said(Explain({Process({"/usr/bin/python3", "x.py", "-S"})}, {})),
              HasSubstr("environment"))
      << "an option of the script is none of Python's";
  EXPECT_THAT(Said(Explain({Process({"python3", "-c", "-S"})}, {})), HasSubstr("environment"));
}

TEST(HooklessWatch, NamesAnotherUser) {
  EXPECT_THAT(Said(Explain({Process({"python3", "x.py"}, 65534)}, {})), HasSubstr("65534"));
}

TEST(HooklessWatch, ProgramsOfOtherLanguages) {
  HooklessProcess shell{10, "sh", 1000, {"sh", "-c", "true"}};
  EXPECT_THAT(Said(Explain({shell}, {})), HasSubstr("steptrace.h"));
  EXPECT_EQ(Explain({shell}, {}).kind, Kind::kNothingThere) << "it had nothing to lose";
  EXPECT_EQ(Explain({shell, Process({"python3", "x.py"})}, {}).kind, Kind::kLoss);
  EXPECT_FALSE(Said(Explain({}, {})).empty());
}

TEST(HooklessWatch, PythonsThatLoadedTheHooksAreNoneThatTheyDidNotReach) {
  const HooklessProcess idle = Process({"python3", "x.py"});
  const HooksMarks loaded = Marks({{HooksMark::kLoaded, 10}});
  EXPECT_EQ(Explain({idle}, loaded).kind, Kind::kIdle);
  EXPECT_EQ(Explain({}, loaded).kind, Kind::kIdle) << "it ended before it was seen";
  const NoHooks kept_out = Explain({idle, Process({"python3", "-S", "x.py"})}, loaded);
  EXPECT_EQ(kept_out.kind, Kind::kLoss) << "another of them, which is the one that trains";
  EXPECT_THAT(Said(kept_out), HasSubstr("-S"));
}

TEST(HooklessWatch, APythonThatLoadedTheHooksHidesNoneThatDidNot) {
  const HooksMarks first = Marks({{HooksMark::kLoaded, 11}});
  const HooklessProcess idle = Numbered(11, {"python3", "-c", "print(1)"}, 10);
  const HooklessProcess cleared = Numbered(12, {"python3", "t.py"}, 10);
  const NoHooks why = Explain({idle, cleared}, first);
  EXPECT_EQ(why.kind, Kind::kLoss);
  EXPECT_THAT(Said(why), HasSubstr("python3 (pid 12) loaded no hooks"));
  EXPECT_EQ(Explain({idle, Numbered(12, {"python3", "-c", "print(1)"}, 11)}, first).kind,
            Kind::kIdle)
      << "a fork of it";
  HooklessProcess ended = Numbered(12, {"python3"}, 11);
  ended.arguments.clear();
  EXPECT_EQ(Explain({idle, ended}, first).kind, Kind::kIdle) << "a fork that has ended";
  HooklessProcess inside = Numbered(4000, {"python3", "t.py"}, 10);
  inside.own_pid = 11;
  EXPECT_EQ(Explain({inside}, first).kind, Kind::kIdle) << "in a pid namespace of its own";
}

TEST(HooklessWatch, HooksAreOffOnlyIfOffInAllProcesses) {
  const HooklessProcess idle = Process({"python3", "x.py"});
  EXPECT_EQ(Explain({idle}, Marks({{HooksMark::kOff, 10}})).kind, Kind::kOff);
  const HooksMarks mixed = Marks({{HooksMark::kLoaded, 10}, {HooksMark::kOff, 11}});
  EXPECT_EQ(Explain({idle, Numbered(11, {"python3", "child.py"}, 10)}, mixed).kind, Kind::kIdle)
      << "a child chose that for itself";
}

TEST(HooklessWatch, ToolsOfTheScriptFromTheBeginAreALoss) {
  const HooksMarks marks = Marks({{HooksMark::kLoaded, 10}, {HooksMark::kAside, 10}});
  const NoHooks why = Explain({Process({"python3", "-m", "pdb", "t.py"})}, marks);
  EXPECT_EQ(why.kind, Kind::kAside);
  EXPECT_THAT(Said(why), HasSubstr("tracer, profiler or debugger"));
}

TEST(HooklessWatch, HooksThatCouldNotRecordAreALoss) {
  const HooklessProcess python = Process({"python3", "t.py"});
  const auto reported = [&](HooksMark mark) {
    const HooksMarks marks = Marks({{HooksMark::kLoaded, 10}, {mark, 10}});
    EXPECT_EQ(Explain({python}, marks).kind, Kind::kRefused);
    return Said(Explain({python}, marks));
  };
  EXPECT_THAT(reported(HooksMark::kNoRing),
              HasSubstr("python3 (pid 10) loaded the hooks, but it could"));
  EXPECT_THAT(reported(HooksMark::kNoRing), HasSubstr("ulimit -f"));
  EXPECT_THAT(reported(HooksMark::kNoProbe), HasSubstr("STEPTRACE_PROBE"));
  EXPECT_THAT(reported(HooksMark::kOtherBuild), HasSubstr("free-threaded"));
  const auto refused = RefusedHooks({}, Marks({{HooksMark::kNoRing, 10}}));
  EXPECT_THAT(present::SentenceOf(refused).text, HasSubstr("a Python loaded"));
  EXPECT_FALSE(RefusedHooks({python}, Marks({{HooksMark::kLoaded, 10}})));
}

TEST(HooklessWatch, AnOptionThatAnInstalledPthFileMakesGood) {
  const HooklessProcess isolated = Process({"python3", "-I", "x.py"});
  EXPECT_EQ(Explain({isolated}, Marks({{HooksMark::kLoaded, 10}})).kind, Kind::kIdle);

  HooklessProcess fork = isolated;  // leaves no mark of its own
  fork.pid = 11;
  fork.parent = 10;
  EXPECT_EQ(Explain({isolated, fork}, Marks({{HooksMark::kLoaded, 10}})).kind, Kind::kIdle);
  fork.arguments = {"python3", "-I", "y.py"};
  EXPECT_EQ(Explain({isolated, fork}, Marks({{HooksMark::kLoaded, 10}})).kind, Kind::kLoss);
}

TEST(HooklessWatch, ARunInARun) {
  const HooklessProcess inner = Numbered(10, {"/opt/bin/steptrace", "run", "--", "python3"});
  const HooklessProcess trains = Numbered(11, {"python3", "x.py"}, 10);
  NoHooks why = Explain({inner, trains, Numbered(12, {"python3", "-S"}, 11)}, {});
  EXPECT_EQ(why.kind, Kind::kNothingThere) << "of what it started it tells itself";
  EXPECT_THAT(Said(why), HasSubstr("the command is `steptrace run` itself"));

  const HooklessProcess shell = Numbered(9, {"bash", "-c", "steptrace run x; python3 -S y"});
  HooklessProcess child = inner;
  child.parent = 9;
  why = Explain({shell, child, trains}, {});
  EXPECT_EQ(why.kind, Kind::kNothingThere);
  EXPECT_THAT(Said(why), HasSubstr("the command ran `steptrace run` itself"));
  why = Explain({shell, child, trains, Numbered(13, {"python3", "-S", "y"}, 9)}, {});
  EXPECT_EQ(why.kind, Kind::kLoss) << "beside it";
  EXPECT_THAT(Said(why), HasSubstr("python3 (pid 13) ran with -S"));
}

TEST(HooklessWatch, OnlyTheFirstWordOfSteptraceIsItsCommand) {
  const HooklessProcess reports = Numbered(10, {"steptrace", "report", "run"});
  EXPECT_THAT(Said(Explain({reports}, {})), HasSubstr("was Python or recorded"));
}

TEST(HooklessWatch, ACommandThatEndsAtOnceIsKnownByWhatWasAskedFor) {
  HooklessWatch watch;
  watch.Expect(kNoSuchPid, {"/usr/bin/python3", "-S", "x.py"});
  watch.Check(kNoSuchPid);
  EXPECT_THAT(Said(Explain(watch.Seen(), {}, geteuid())), HasSubstr("-S"));
}

TEST(HooklessWatch, AScriptThatEndsAtOnceIsItsInterpreters) {
  char path[] = "/tmp/steptrace-hookless-XXXXXX";
  const int file = mkstemp(path);
  const std::string text = "#!/usr/bin/python3 -S\n";
  ASSERT_EQ(write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  close(file);
  HooklessWatch watch;
  watch.Expect(kNoSuchPid, {path});
  unlink(path);
  EXPECT_THAT(Said(Explain(watch.Seen(), {}, geteuid())), HasSubstr("ran with -S"));
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
