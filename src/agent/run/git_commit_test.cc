// SPDX-License-Identifier: Apache-2.0
#include "agent/run/git_commit.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>

namespace steptrace::agent {
namespace {

namespace fs = std::filesystem;

const std::string kOne(40, '1');
const std::string kTwo(40, '2');
const std::string kLong(64, 'a');

class GitCommitTest : public testing::Test {
 protected:
  GitCommitTest() {
    std::string pattern = (fs::temp_directory_path() / "git_commit_test.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~GitCommitTest() override { fs::remove_all(folder_); }

  void Write(const fs::path& file, const std::string& text) const {
    fs::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file) << text;
  }
  std::optional<std::string> At(const fs::path& below = "") const {
    return GitCommitAt(folder_ / below);
  }

  fs::path folder_;
};

TEST_F(GitCommitTest, IsThatOfTheBranchOrOfAHeadWithoutOne) {
  Write(".git/HEAD", "ref: refs/heads/main\n");
  EXPECT_EQ(At(), std::nullopt) << "nothing is committed";
  Write(".git/refs/heads/main", kOne + "\n");
  EXPECT_EQ(At(), kOne);
  fs::create_directories(folder_ / "src/deep");
  EXPECT_EQ(At("src/deep"), kOne) << "above the script";
  Write(".git/HEAD", kLong + "\n");
  EXPECT_EQ(At(), kLong);
}

TEST_F(GitCommitTest, OfAPackedRefIsFoundAmongMany) {
  Write(".git/HEAD", "ref: refs/heads/x\n");
  std::string packed = "# pack-refs with: peeled fully-peeled sorted\n";
  for (int i = 0; i < 5000; ++i) {
    packed += kTwo + " refs/heads/x" + std::to_string(i) + "\n^" + kLong + "\n";
  }
  Write(".git/packed-refs", packed + kOne + " refs/heads/x\n" + kTwo + " refs/tags/x\n");
  EXPECT_EQ(At(), kOne);
  Write(".git/refs/heads/x", kTwo + "\n");
  EXPECT_EQ(At(), kTwo) << "the ref itself is newer";
}

TEST_F(GitCommitTest, OfAWorktreeIsItsOwn) {
  Write("main/.git/HEAD", "ref: refs/heads/main\n");
  Write("main/.git/refs/heads/main", kOne + "\n");
  Write("main/.git/refs/heads/other", kTwo + "\n");
  Write("main/.git/worktrees/w/HEAD", "ref: refs/heads/other\n");
  Write("main/.git/worktrees/w/commondir", "../..\n");
  Write("w/.git", "gitdir: " + (folder_ / "main/.git/worktrees/w").string() + "\n");
  EXPECT_EQ(At("w"), kTwo);
  EXPECT_EQ(At("main"), kOne);
  Write("main/sub/.git", "gitdir: ../.git/worktrees/w\n");
  EXPECT_EQ(At("main/sub"), kTwo) << "a relative one, as submodules have it";
}

TEST_F(GitCommitTest, OfAnythingElseIsNotKnown) {
  EXPECT_EQ(GitCommitAt(""), std::nullopt);
  EXPECT_EQ(GitCommitAt(folder_ / "none"), At());
  Write("secret", kOne + "\n");
  for (const std::string& head :
       {std::string("ref: refs/../../secret"), std::string("ref: ../secret"), std::string("ref:"),
        std::string(), kOne.substr(1), std::string(40, 'x'), std::string(1 << 20, '1'),
        "ref: refs/heads/" + std::string(10'000, 'm'), std::string("ref: refs/heads/a\x1b[m")}) {
    Write(".git/HEAD", head);
    EXPECT_EQ(At(), std::nullopt) << head.substr(0, 50);
  }
  Write(".git/HEAD", "ref: refs/heads/loop\n");
  Write(".git/refs/heads/loop", "ref: refs/heads/loop\n");
  EXPECT_EQ(At(), std::nullopt);
  fs::remove(folder_ / ".git/HEAD");
  ASSERT_EQ(::mkfifo((folder_ / ".git/HEAD").c_str(), 0600), 0);
  EXPECT_EQ(At(), std::nullopt) << "and nobody waits for a writer";
}

TEST_F(GitCommitTest, IsSoughtWhereTheScriptLies) {
  Write("job/train.py", "");
  const std::string script = (folder_ / "job/train.py").string();
  EXPECT_EQ(ScriptFolder({"torchrun", "--nproc-per-node", "2", script, "x.py"}), folder_ / "job");
  EXPECT_EQ(ScriptFolder({"python", "-m", "train"}), fs::current_path());
}

}  // namespace
}  // namespace steptrace::agent
