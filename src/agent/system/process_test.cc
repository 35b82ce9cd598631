// SPDX-License-Identifier: Apache-2.0
#include "agent/system/process.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "agent/system/process_handle.h"

namespace steptrace::agent {
namespace {

TEST(ProcessIdentity, KnowsItself) {
  auto own = ReadProcessIdentity(getpid());
  ASSERT_TRUE(own.has_value());
  EXPECT_EQ(own->ppid, getppid());
  EXPECT_TRUE(IsAlive(getpid(), own->start_time_ticks));
  EXPECT_FALSE(IsAlive(getpid(), own->start_time_ticks + 1)) << "another with the same pid";
  const auto arguments = ReadCommandLine(getpid());
  EXPECT_FALSE(arguments.empty());
}

TEST(ProcessIdentity, KnowsThePidsOfOtherNamespaces) {
  EXPECT_EQ(ReadInnermostPid(getpid()), getpid());
  EXPECT_EQ(ReadInnermostPid(1 << 30), 1 << 30) << "nobody";
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t maker = fork();
  if (maker == 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0 && unshare(CLONE_NEWPID) != 0) _exit(77);
    const pid_t first = fork();  // as the namespace sees it, 1
    if (first < 0) _exit(77);
    if (first == 0) _exit(pause());
    _exit(write(ends[1], &first, sizeof first) == sizeof first ? 0 : 1);
  }
  int status = 0;
  waitpid(maker, &status, 0);
  close(ends[1]);
  pid_t first = 0;
  const bool made = read(ends[0], &first, sizeof first) == sizeof first;
  close(ends[0]);
  if (!made) GTEST_SKIP() << "needs a pid namespace";
  ASSERT_GT(first, 0);
  EXPECT_EQ(ReadInnermostPid(first), 1);
  kill(first, SIGKILL);
}

TEST(ProcessHandle, SeesTheEndEvenOfAZombie) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte;
    close(ends[1]);
    const ssize_t count = read(ends[0], &byte, 1);
    _exit(count == 0 ? 0 : 1);
  }
  close(ends[0]);
  ProcessHandle handle(child, 0);
  EXPECT_TRUE(handle.Alive());
  const auto children = ReadChildren(getpid());
  EXPECT_NE(std::find(children.begin(), children.end(), child), children.end());
  close(ends[1]);
  siginfo_t info;
  waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  EXPECT_FALSE(handle.Alive()) << "nobody has reaped it yet";
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(handle.Alive());
}

}  // namespace
}  // namespace steptrace::agent
