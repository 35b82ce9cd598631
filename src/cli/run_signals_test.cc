// SPDX-License-Identifier: Apache-2.0
#include "cli/run_signals.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "base/time.h"

namespace steptrace::cli {
namespace {

// In a child, for the handlers and the mask are the process's: 0 if all is as before.
int TakesAndGivesBack() {
  sigset_t before;
  sigset_t after;
  sigemptyset(&before);
  sigemptyset(&after);
  sigprocmask(SIG_BLOCK, nullptr, &before);
  RunSignals signals;
  sigprocmask(SIG_BLOCK, nullptr, &after);
  if (!sigismember(&after, SIGTERM)) return 1;
  signals.RestoreForExec();
  sigprocmask(SIG_BLOCK, nullptr, &after);
  for (int signal = 1; signal < SIGRTMIN; ++signal) {
    if (sigismember(&before, signal) != sigismember(&after, signal)) return 2;
  }
  struct sigaction size_limit {};
  sigaction(SIGXFSZ, nullptr, &size_limit);
  return size_limit.sa_handler == SIG_DFL ? 0 : 3;
}

TEST(RunSignals, RestoresHandlersAndMaskBeforeExec) {
  const pid_t child = fork();
  if (child == 0) _exit(TakesAndGivesBack());
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// In a child with a group of its own: 0 if what reaches all is told from what reaches us alone.
int TellsWhomASignalWasFor() {
  setpgid(0, 0);
  RunSignals signals;
  signals.StartWitness();
  const auto take = [&signals] {
    for (int i = 0; i < 10'000; ++i) {
      if (const auto taken = signals.Take()) return taken->pass_on ? 1 : 0;
      usleep(1000);
    }
    return -1;
  };
  for (int round = 0; round < 20; ++round) {
    kill(getpid(), SIGTERM);
    if (take() != 1) return 1;
    kill(0, SIGTERM);
    if (take() != 0) return 2;
    // Both at once, each a signal of its own.
    kill(0, SIGINT);
    kill(getpid(), SIGUSR1);
    if (take() + take() != 1) return 3;
  }
  return signals.Take() ? 4 : 0;
}

TEST(RunSignals, SignalSentToTheGroupIsNotForwarded) {
  const pid_t child = fork();
  if (child == 0) _exit(TellsWhomASignalWasFor());
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// In a child: 0 if a signal is taken soon after somebody has killed the witness.
int TakesWithoutItsWitness() {
  setpgid(0, 0);
  RunSignals signals;
  signals.StartWitness();
  pid_t witness = 0;
  std::ifstream("/proc/self/task/" + std::to_string(getpid()) + "/children") >> witness;
  if (witness <= 0) return 1;
  kill(witness, SIGKILL);
  siginfo_t info;
  waitid(P_PID, static_cast<id_t>(witness), &info, WEXITED | WNOWAIT);  // it stays a zombie
  kill(getpid(), SIGTERM);
  const int64_t begin_ns = MonotonicNowNs();
  const auto taken = signals.Take();
  if (!taken || !taken->pass_on) return 2;
  return MonotonicNowNs() - begin_ns < 5 * kNsPerSecond ? 0 : 3;
}

TEST(RunSignals, AWitnessThatWasKilledIsNotWaitedFor) {
  const pid_t child = fork();
  if (child == 0) _exit(TakesWithoutItsWitness());
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace steptrace::cli
