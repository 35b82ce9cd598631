// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/stack_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <iterator>

#include "agent/stacks/stack_thread.h"
#include "agent/system/process_text.h"
#include "base/time.h"
#include "testing/python_child.h"

namespace steptrace::agent {
namespace {

using steptrace::testing::PythonChild;
using ::testing::SizeIs;

constexpr int64_t kPeriodNs = 50 * kNsPerMs;
constexpr const char* kSleeps = "import time; print('', flush=True); time.sleep(1000)";

JobRoot RootOf(int32_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  return {pid, ParseProcessStat(text)->start_ticks};
}

std::string Python() {
  const auto pythons = steptrace::testing::Pythons(11);
  return pythons.empty() ? "" : pythons.front();
}

int32_t Intern(StackTable& table, std::vector<FrameFacts> frames, bool cut = false) {
  StackInWords stack{std::move(frames), {}, cut};
  return table.Intern(stack);
}

TEST(StackTable, NumbersCallersBeforeCallees) {
  CodeTexts texts;
  const uint32_t f = texts.Intern("f"), g = texts.Intern("g"), file = texts.Intern("a.py");
  StackTable table(texts);
  EXPECT_EQ(Intern(table, {{f, file, 1}, {g, file, 5}}), 1);
  EXPECT_EQ(Intern(table, {{f, file, 1}, {g, file, 5}}), 1);
  EXPECT_EQ(Intern(table, {{f, file, 1}, {g, file, 6}}), 2);
  EXPECT_EQ(Intern(table, {{f, file, 1}}), 0);
  const auto added = table.TakeNew();
  ASSERT_THAT(added, SizeIs(3));
  EXPECT_EQ(added[0].parent, std::nullopt);
  EXPECT_EQ(added[2].parent, 0);
  EXPECT_EQ(added[2].function, "g");
  EXPECT_EQ(added[2].file, "a.py");
  EXPECT_EQ(added[2].line, 6);
  EXPECT_THAT(table.TakeNew(), SizeIs(0));
  const int32_t cut = Intern(table, {{f, file, 1}}, true);
  const auto outer = table.TakeNew();
  ASSERT_THAT(outer, SizeIs(2));
  EXPECT_EQ(outer[0].function, "(outer frames)");
  EXPECT_EQ(outer[1].parent, outer[0].stack);
  EXPECT_EQ(outer[1].stack, cut);
}

TEST(StackTable, GoesOnFromTheNumbersThatAStackHas) {
  CodeTexts texts;
  const uint32_t f = texts.Intern("f"), g = texts.Intern("g"), h = texts.Intern("h");
  StackTable table(texts);
  StackInWords stack{{{f, f, 1}, {g, f, 2}}, {}, false};
  const int32_t both = table.Intern(stack);
  EXPECT_EQ(stack.numbers, (std::vector<int32_t>{0, both}));
  EXPECT_EQ(table.Intern(stack), both);
  stack.frames.back().function = h;  // the numbers of the frames that stayed are kept
  stack.numbers.pop_back();
  EXPECT_EQ(table.Intern(stack), Intern(table, {{f, f, 1}, {h, f, 2}}));
  EXPECT_EQ(table.TakeNew().back().parent, 0);
}

TEST(StackTable, IsBounded) {
  CodeTexts texts;
  const uint32_t f = texts.Intern("f");
  StackTable table(texts, 3);
  for (int line = 1; line <= 3; ++line) Intern(table, {{f, f, line}});
  const int32_t full = Intern(table, {{f, f, 4}});
  EXPECT_EQ(Intern(table, {{f, f, 5}}), full);
  EXPECT_EQ(Intern(table, {{f, f, 2}}), 1) << "those with a number keep it";
  EXPECT_EQ(table.TakeNew().back().function, "(too many stacks)");
  EXPECT_EQ(table.too_many(), 2);
  StackInWords stack{{{f, f, 6}}, {}, false};
  for (int64_t times = 3; times < 5; ++times) {
    EXPECT_EQ(table.Intern(stack), full);
    EXPECT_EQ(table.too_many(), times) << "each sample without a stack of its own";
  }
}

// A child that has said that it is there sleeps soon after; what it does before may tear a reading.
bool FallsAsleep(int32_t pid) {
  const std::string stat = "/proc/" + std::to_string(pid) + "/stat";
  for (int i = 0; i < 1000; ++i) {
    std::ifstream file(stat);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (text.find(") S ") != std::string::npos) return true;
    usleep(10'000);
  }
  return false;
}

TEST(StackSampler, SamplesStandForTheTimeSinceTheOneBefore) {
  if (Python().empty()) GTEST_SKIP() << "no Python 3.11 here";
  PythonChild child(Python(), kSleeps);
  StackSampler sampler;
  sampler.SetProcesses({RootOf(child.pid())});
  ASSERT_TRUE(FallsAsleep(child.pid()));
  // Periods that the time between the samples is surely below, and above.
  constexpr int64_t kLongNs = 1000 * kNsPerSecond, kShortNs = kNsPerMs;
  StackReadings readings;
  sampler.Sample(MonotonicNowNs(), kLongNs, readings);
  sampler.Sample(MonotonicNowNs(), kLongNs, readings);
  usleep(20'000);
  sampler.Sample(MonotonicNowNs(), kShortNs, readings);
  ASSERT_THAT(readings.samples, SizeIs(3));
  EXPECT_EQ(sampler.read_processes(), 1);
  EXPECT_EQ(readings.samples[0].interval_ns, kLongNs) << "the first: one period";
  EXPECT_EQ(readings.samples[1].interval_ns,
            readings.samples[1].monotonic_ns - readings.samples[0].monotonic_ns);
  EXPECT_EQ(readings.samples[2].interval_ns, 2 * kShortNs) << "never more than two periods";
  EXPECT_EQ(readings.samples[0].tid, child.pid());
  EXPECT_FALSE(readings.samples[0].running);
  EXPECT_THAT(readings.unread, SizeIs(0));
}

TEST(StackSampler, SaysUntilWhenThereIsNothingToDo) {
  StackSampler sampler;
  StackReadings readings;
  EXPECT_EQ(sampler.IdleUntilNs(), INT64_MAX);
  PythonChild shell("/bin/sh", "echo; exec sleep 1000");
  sampler.SetProcesses({RootOf(shell.pid()), {INT32_MAX, 5}});
  EXPECT_EQ(sampler.IdleUntilNs(), 0) << "not looked at yet";
  sampler.Sample(kNsPerSecond, kPeriodNs, readings);
  const int64_t again_ns = sampler.IdleUntilNs();
  EXPECT_GT(again_ns, kNsPerSecond);
  if (Python().empty()) GTEST_SKIP() << "no Python 3.11 here";
  PythonChild child(Python(), kSleeps);
  sampler.SetProcesses({RootOf(shell.pid()), RootOf(child.pid())});
  sampler.Sample(MonotonicNowNs(), kPeriodNs, readings);
  EXPECT_EQ(sampler.IdleUntilNs(), 0);
}

TEST(StackSampler, UnreadableProcessIsReportedOnce) {
  PythonChild shell("/bin/sh", "echo; exec sleep 1000");
  JobRoot other_life = RootOf(getpid());
  ++other_life.start_ticks;
  StackSampler sampler;
  sampler.SetProcesses({RootOf(shell.pid()), other_life, {INT32_MAX, 5}});
  StackReadings readings;
  for (int i = 0; i < 3; ++i) sampler.Sample(i * 60 * kNsPerSecond, kPeriodNs, readings);
  ASSERT_THAT(readings.unread, SizeIs(1));
  EXPECT_EQ(readings.unread[0].process.pid, shell.pid());
  EXPECT_THAT(readings.samples, SizeIs(0));
}

class ForbiddenMemory : public ProcessMemory {
 public:
  explicit ForbiddenMemory(const bool& allowed, int32_t pid) : allowed_(allowed), live_(pid) {}
  ReadOutcome Read(std::span<const MemoryPiece> pieces) override {
    return allowed_ ? live_.Read(pieces) : ReadOutcome::kForbidden;
  }

 private:
  const bool& allowed_;
  LiveMemory live_;
};

TEST(StackSampler, TriesAgainWhereRightsMayCome) {
  if (Python().empty()) GTEST_SKIP() << "no Python 3.11 here";
  PythonChild child(Python(), kSleeps);
  bool allowed = false;
  StackSamplerOptions options;
  options.memory_of = [&](int32_t pid) { return std::make_unique<ForbiddenMemory>(allowed, pid); };
  StackSampler sampler(options);
  sampler.SetProcesses({RootOf(child.pid())});
  ASSERT_TRUE(FallsAsleep(child.pid()));
  StackReadings readings;
  sampler.Sample(0, kPeriodNs, readings);
  ASSERT_THAT(readings.unread, SizeIs(1));
  EXPECT_EQ(readings.unread[0].reason, "its memory may not be read");
  EXPECT_NE(readings.unread[0].remedy, "");
  ASSERT_THAT(readings.changes, SizeIs(1));
  EXPECT_FALSE(readings.changes[0].read);
  allowed = true;
  sampler.Sample(kNsPerSecond, kPeriodNs, readings);
  EXPECT_THAT(readings.samples, SizeIs(0)) << "not asked at every sample";
  sampler.Sample(60 * kNsPerSecond, kPeriodNs, readings);
  EXPECT_THAT(readings.samples, SizeIs(1));
  ASSERT_THAT(readings.changes, SizeIs(2));
  EXPECT_TRUE(readings.changes[1].read);
  allowed = false;
  sampler.Sample(61 * kNsPerSecond, kPeriodNs, readings);
  EXPECT_THAT(readings.unread, SizeIs(1)) << "told once";
}

// A pid that executes another program, and then Python again.
TEST(StackSampler, FollowsAProcessThatExecutesAnother) {
  if (Python().empty()) GTEST_SKIP() << "no Python 3.11 here";
  PythonChild child(Python(),
                    "import os, sys; from signal import *;"
                    "pthread_sigmask(SIG_BLOCK, {SIGUSR1}); print('', flush=True);"
                    "sigwait({SIGUSR1});"
                    "os.execv(sys.executable, [sys.executable, '-c', 'def there():\\n  "
                    "import time; print(flush=True); time.sleep(1000)\\nthere()'])");
  StackSampler sampler;
  sampler.SetProcesses({RootOf(child.pid())});
  ASSERT_TRUE(FallsAsleep(child.pid()));
  StackReadings readings;
  sampler.Sample(MonotonicNowNs(), kPeriodNs, readings);
  EXPECT_THAT(readings.samples, SizeIs(1));
  kill(child.pid(), SIGUSR1);
  child.WaitForLine();
  bool found = false;
  for (int i = 0; i < 200 && !found; ++i) {
    readings.stacks.clear();
    sampler.Sample(i * 60 * kNsPerSecond, kPeriodNs, readings);
    for (const NewStack& stack : readings.stacks) found |= stack.function == "there";
  }
  EXPECT_TRUE(found);
}

TEST(StackThread, SamplesAtItsRateUntilItIsStopped) {
  if (Python().empty()) GTEST_SKIP() << "no Python 3.11 here";
  PythonChild child(Python(), kSleeps);
  constexpr int64_t kRateNs = 10 * kNsPerMs;
  StackThread thread(kRateNs);
  const int64_t begin_ns = MonotonicNowNs();
  thread.SetProcesses({RootOf(child.pid())});
  size_t samples = 0, stacks = 0;
  const auto take = [&] {
    StackReadings readings = thread.Take();
    samples += readings.samples.size();
    stacks += readings.stacks.size();
    return readings;
  };
  while (samples < 40 && MonotonicNowNs() - begin_ns < 60 * kNsPerSecond) {
    usleep(10'000);
    take();
  }
  thread.Stop(10'000);
  const int64_t took_ns = MonotonicNowNs() - begin_ns;
  const StackReadings readings = take();
  EXPECT_GE(samples, 40u);
  // Half a period lies between two at least.
  EXPECT_LE(static_cast<int64_t>(samples), took_ns / (kRateNs / 2) + 2);
  EXPECT_GT(stacks, 0u);
  ASSERT_THAT(readings.losses, ::testing::Not(SizeIs(0)));
  usleep(50'000);
  EXPECT_THAT(thread.Take().samples, SizeIs(0));
}

}  // namespace
}  // namespace steptrace::agent
