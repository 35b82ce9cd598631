// SPDX-License-Identifier: Apache-2.0
#include "agent/run/git_changes.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/time.h"

namespace steptrace::agent {
namespace {

namespace fs = std::filesystem;

class GitChangesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "git_changes_test.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    if (system("git --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no git";
    Write("train.py", "pass\n");
    ASSERT_EQ(Git("init -q . && git add train.py && git -c user.name=a -c user.email=a@b "
                  "-c commit.gpgSign=false commit -q -m one"),
              0);
  }
  void TearDown() override { fs::remove_all(folder_); }

  int Git(const std::string& arguments) const {
    return system(("cd '" + folder_.string() + "' && git " + arguments).c_str());
  }
  void Write(const fs::path& file, const std::string& text) const {
    std::ofstream(folder_ / file) << text;
  }
  // A program that leaves a trace.
  std::string Program() const {
    Write("program", "#!/bin/sh\ntouch '" + (folder_ / "ran").string() + "'\ncat\n");
    fs::permissions(folder_ / "program", fs::perms::owner_all);
    return (folder_ / "program").string();
  }
  GitChanges::Answer WaitForAnswer() const {
    GitChanges asked(folder_, MonotonicNowNs());
    for (;;) {
      if (const auto answer = asked.Take(MonotonicNowNs())) {
        // As the agent does, till the process has been waited for: the first output ends it.
        do {
          EXPECT_FALSE(asked.Take(MonotonicNowNs()).has_value()) << "it is said once";
        } while (!asked.IsOver());
        return *answer;
      }
    }
  }

  fs::path folder_;
};

TEST_F(GitChangesTest, TrackedFilesAreComparedAndOthersAreNot) {
  EXPECT_EQ(WaitForAnswer().changed, false);
  Write("notes.txt", "not tracked\n");
  EXPECT_EQ(WaitForAnswer().changed, false);
  Write("train.py", "print(1)\n");
  EXPECT_EQ(WaitForAnswer().changed, true);
}

TEST_F(GitChangesTest, ProgramsNamedByTheRepositoryAreNotRun) {
  ASSERT_EQ(Git("config core.fsmonitor '" + Program() + "'"), 0);
  ASSERT_EQ(Git("config filter.x.clean '" + Program() + "'"), 0);
  Write(".gitattributes", "*.py filter=x\n");
  Write("train.py", "PASS\n");
  const GitChanges::Answer answer = WaitForAnswer();
  EXPECT_EQ(answer.changed, std::nullopt);
  EXPECT_EQ(answer.reason, "the repository's settings name programs that filter files");
  ASSERT_EQ(Git("config --unset filter.x.clean"), 0);
  EXPECT_EQ(WaitForAnswer().changed, true);
  EXPECT_FALSE(fs::exists(folder_ / "ran"));
}

TEST_F(GitChangesTest, FiltersBehindLfsAreProgramsToo) {
  ASSERT_EQ(Git("config lfs.extension.x.clean '" + Program() + "'"), 0);
  EXPECT_EQ(WaitForAnswer().reason, "the repository's settings name programs that filter files");
}

// The kernel waits for a child itself then, and its pid may be another's at once.
TEST_F(GitChangesTest, WithSigchldIgnoredTheStateIsUnknown) {
  const auto before = signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(WaitForAnswer().reason, "how git ended is not known");
  signal(SIGCHLD, before);
}

TEST_F(GitChangesTest, WithoutARepositoryOrGitNothingIsKnown) {
  fs::remove_all(folder_ / ".git");
  EXPECT_EQ(WaitForAnswer().reason, "git refuses the repository");
  const std::string path = getenv("PATH");
  setenv("PATH", "relative:", 1);
  EXPECT_EQ(WaitForAnswer().reason, "there is no git");
  setenv("PATH", path.c_str(), 1);
}

// Those of earlier tests that an agent killed as it ended, which is then not there to wait for
// them.
void WaitForChildrenOfOthers() {
  const int64_t until_ns = MonotonicNowNs() + 10 * kNsPerSecond;
  while (waitpid(-1, nullptr, WNOHANG) >= 0 && MonotonicNowNs() < until_ns) usleep(1000);
}

TEST_F(GitChangesTest, WhatTakesTooLongIsEnded) {
  WaitForChildrenOfOthers();
  fs::create_directory(folder_ / "bin");
  Write("bin/git", "#!/bin/sh\nexec sleep 60\n");
  fs::permissions(folder_ / "bin/git", fs::perms::owner_all);
  const std::string path = getenv("PATH");
  setenv("PATH", ((folder_ / "bin").string() + ":" + path).c_str(), 1);
  GitChanges asked(folder_, MonotonicNowNs() - 11 * kNsPerSecond);
  const auto answer = asked.Take(MonotonicNowNs());
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->reason, "git took more than 10 s");
  while (!asked.IsOver()) EXPECT_FALSE(asked.Take(MonotonicNowNs()).has_value());
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a process that was ended is left";
  EXPECT_FALSE(asked.Finish().has_value()) << "it is said once";
  const auto last = GitChanges(folder_, MonotonicNowNs()).Finish();
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->reason, "the run was over before git answered");
  setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace steptrace::agent
