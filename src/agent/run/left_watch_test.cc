// SPDX-License-Identifier: Apache-2.0
#include "agent/run/left_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "present/words/finding_sentence.h"

namespace steptrace::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr int64_t kLongNs = 10 * kNsPerSecond;

Survivors Of(std::vector<std::string> training, std::vector<std::string> may_train,
             std::vector<std::string> late, std::vector<std::string> others) {
  return {std::move(training), std::move(may_train), std::move(late), std::move(others)};
}

TEST(AfterCommand, ARunGoesOnForThoseThatTrainOrMayComeToIt) {
  EXPECT_EQ(NextOf({}, 0), AfterCommand::kWait) << "one may be executing its program";
  EXPECT_EQ(NextOf({}, kLongNs), AfterCommand::kClose);
  for (const Survivors& left : {Of({"a"}, {}, {}, {}), Of({}, {"a"}, {"b"}, {"c"})}) {
    EXPECT_EQ(NextOf(left, 0), AfterCommand::kWait) << "it may be about to end";
    EXPECT_EQ(NextOf(left, kLongNs), AfterCommand::kGoOn);
  }
}

TEST(AfterCommand, ARunDoesNotGoOnForAProgramThatNeverTrains) {
  EXPECT_EQ(NextOf(Of({}, {}, {"tensorboard"}, {}), kLongNs), AfterCommand::kClose);
  EXPECT_EQ(NextOf(Of({}, {}, {}, {"sleep"}), 0), AfterCommand::kWait) << "it may execute another";
  EXPECT_EQ(NextOf(Of({}, {}, {}, {"sleep"}), kLongNs), AfterCommand::kClose);
  constexpr int64_t kSoonNs = 1500 * kNsPerMs;
  EXPECT_EQ(NextOf(Of({}, {}, {}, {"helper"}), kSoonNs), AfterCommand::kWait) << "it may end";
  EXPECT_EQ(NextOf(Of({}, {}, {"tensorboard"}, {}), kSoonNs), AfterCommand::kClose);
  EXPECT_EQ(NextOf({}, kSoonNs), AfterCommand::kClose) << "nobody is left";
}

TEST(AfterCommand, MessageNamesTheProcessesThatKeepTheRunOpen) {
  EXPECT_EQ(GoesOnText(Of({"a"}, {"b"}, {}, {})),
            "1 of the command's processes still trains; recording goes on until it ends");
  EXPECT_EQ(GoesOnText(Of({"a", "b"}, {}, {}, {})),
            "2 of the command's processes still train; recording goes on until they end");
  EXPECT_EQ(GoesOnText(Of({}, {"python3 (pid 7)"}, {}, {})),
            "python3 (pid 7) still runs and may come to train; recording goes on until it ends, or "
            "is 10 min old without having trained");
  EXPECT_THAT(present::SentenceOf(OutlivesFinding({"a", "b", "c", "d", "e"})).text,
              StartsWith("a, b, c and 2 more still ran when the run was closed and are not"));
}

// What a process of this test looks like to the watch, however long it has lived.
class LeftWatchTest : public ::testing::Test {
 protected:
  Survivors Check(std::span<const RingProcess> rings, int64_t age_ns) {
    const double began_ns =
        static_cast<double>(kStartTicks) / static_cast<double>(sysconf(_SC_CLK_TCK)) * 1e9;
    return watch_.Check({0, static_cast<int64_t>(began_ns) + age_ns}, {kNoCommand, {}}, rings);
  }

  static constexpr uint64_t kStartTicks = 5000;
  LeftWatch watch_{"no such run", "/nonexistent"};
};

TEST_F(LeftWatchTest, ProcessWithARingIsCountedByWhetherItTrains) {
  const std::vector<RingProcess> rings = {{7, kStartTicks, true, "python3"},
                                          {8, kStartTicks, false, "python3"},
                                          {0, kStartTicks, false, "server"}};
  const Survivors young = Check(rings, kBecomesTrainingNs - kNsPerSecond);
  EXPECT_THAT(young.training, ElementsAre("python3 (pid 7)"));
  EXPECT_THAT(young.may_train, ElementsAre("python3 (pid 8)", "server (in another pid namespace)"));
  EXPECT_THAT(young.late, IsEmpty());
}

TEST_F(LeftWatchTest, WhoHasNotTrainedInTenMinutesIsLate) {
  const std::vector<RingProcess> rings = {{7, kStartTicks, true, "python3"},
                                          {8, kStartTicks, false, "python3"}};
  const Survivors old = Check(rings, kBecomesTrainingNs + kNsPerSecond);
  EXPECT_THAT(old.training, ElementsAre("python3 (pid 7)"));
  EXPECT_THAT(old.may_train, IsEmpty());
  EXPECT_THAT(old.late, ElementsAre("python3 (pid 8)"));
}

// Another test on the machine at this time has another one.
std::string RunOfThisTest(pid_t pid) {
  return "left watch test " + std::to_string(pid);
}

// A process of this test that lives until it is killed, with a mark of the run.
class MarkedProcess {
 public:
  explicit MarkedProcess(const char* program) : pid_(fork()) {
    if (pid_ > 0) return;
    std::string mark = "STEPTRACE_RUN=" + RunOfThisTest(getppid());
    char* const environment[] = {mark.data(), nullptr};
    execle(program, program, "60", nullptr, environment);
    _exit(127);
  }
  ~MarkedProcess() { Kill(); }
  MarkedProcess(const MarkedProcess&) = delete;
  MarkedProcess& operator=(const MarkedProcess&) = delete;

  // Once it executes the program: the kernel sets the name first, and the environment a moment
  // later.
  bool Runs(const std::string& comm) const {
    for (int i = 0; i < 3000; ++i) {
      const auto identity = ReadProcessIdentity(pid_);
      std::ifstream environ("/proc/" + std::to_string(pid_) + "/environ");
      if (identity && identity->comm == comm && environ.get() != EOF) return true;
      usleep(10'000);
    }
    return false;
  }
  std::string Named(const std::string& comm) const {
    return comm + " (pid " + std::to_string(pid_) + ")";
  }
  int32_t pid() const { return pid_; }
  void Kill() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(std::exchange(pid_, 0), nullptr, 0);
  }

 private:
  pid_t pid_;
};

TEST(LeftWatch, AProgramOfTheRunIsFollowedUntilItEnds) {
  MarkedProcess sleep("/bin/sleep");
  ASSERT_TRUE(sleep.Runs("sleep"));
  LeftWatch watch(RunOfThisTest(getpid()), "/nonexistent");
  const LeftWatch::CommandTree command{ReadProcessIdentity(getpid())->start_time_ticks, {}};
  EXPECT_THAT(watch.Check({0, 0}, command, {}).others, ElementsAre(sleep.Named("sleep")));
  EXPECT_THAT(watch.TakeFound(), ElementsAre(sleep.pid()));
  EXPECT_THAT(watch.TakeFound(), IsEmpty());
  EXPECT_THAT(watch.Check({1, 0}, command, {}).others, ElementsAre(sleep.Named("sleep")));
  EXPECT_THAT(watch.TakeFound(), IsEmpty()) << "it is too early to look at all processes again";
  sleep.Kill();
  EXPECT_TRUE(watch.Check({2, 0}, command, {}).empty());
}

TEST(LeftWatch, PyTorchsHelperForSharedMemoryEndsByItself) {
  const std::filesystem::path folder =
      testing::TempDir() + "left watch " + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  const std::filesystem::path helper = folder / "torch_shm_manager";
  std::filesystem::copy_file("/bin/sleep", helper);
  {
    const MarkedProcess manager(helper.c_str());
    ASSERT_TRUE(manager.Runs("torch_shm_manag"));
    LeftWatch watch(RunOfThisTest(getpid()), "/nonexistent");
    const LeftWatch::CommandTree command{ReadProcessIdentity(getpid())->start_time_ticks, {}};
    EXPECT_TRUE(watch.Check({0, 0}, command, {}).empty());
    EXPECT_THAT(watch.TakeFound(), ElementsAre(manager.pid()));
  }
  std::filesystem::remove_all(folder);
}

TEST(LeftWatch, WhoStartsAnotherAndEndsLeavesThatOne) {
  MarkedProcess first("/bin/sleep");
  ASSERT_TRUE(first.Runs("sleep"));
  LeftWatch watch(RunOfThisTest(getpid()), "/nonexistent");
  const LeftWatch::CommandTree command{ReadProcessIdentity(getpid())->start_time_ticks, {}};
  EXPECT_FALSE(watch.Check({0, 0}, command, {}).empty());
  const MarkedProcess second("/bin/sleep");
  ASSERT_TRUE(second.Runs("sleep"));
  first.Kill();
  EXPECT_THAT(watch.Check({1, 0}, command, {}).others, ElementsAre(second.Named("sleep")));
}

TEST(LeftWatch, ProcessWithARingIsCountedOnce) {
  MarkedProcess sleep("/bin/sleep");
  ASSERT_TRUE(sleep.Runs("sleep"));
  LeftWatch watch(RunOfThisTest(getpid()), "/nonexistent");
  const auto identity = ReadProcessIdentity(sleep.pid());
  const std::vector<RingProcess> rings = {{sleep.pid(), identity->start_time_ticks, true, "sleep"}};
  const Survivors left = watch.Check({0, 0}, {identity->start_time_ticks, {}}, rings);
  EXPECT_THAT(left.training, ElementsAre(sleep.Named("sleep")));
  EXPECT_THAT(left.others, IsEmpty());
}

}  // namespace
}  // namespace steptrace::agent
