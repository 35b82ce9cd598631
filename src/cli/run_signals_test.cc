// SPDX-License-Identifier: Apache-2.0
#include "cli/run_signals.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

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

TEST(RunSignals, GivesEverythingBackBeforeAnExec) {
  const pid_t child = fork();
  if (child == 0) _exit(TakesAndGivesBack());
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace steptrace::cli
