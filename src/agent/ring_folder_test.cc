// SPDX-License-Identifier: Apache-2.0
#include "agent/ring_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "agent/process.h"
#include "agent/ring_watch.h"

namespace steptrace::agent {
namespace {

namespace fs = std::filesystem;

class RingFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/steptrace-ring-folder-XXXXXX";
    shm_ = mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(shm_); }
  void Touch(const fs::path& path) { std::ofstream(path) << "x"; }
  std::string OwnRing() {
    return std::to_string(getpid()) + "." +
           std::to_string(ReadProcessIdentity(getpid())->start_time_ticks) + ".ring";
  }
  fs::path shm_;
};

TEST_F(RingFolderTest, IsPrivateAndLocked) {
  auto folder = MakeRingFolder({shm_}, "run");
  ASSERT_TRUE(folder.ok());
  EXPECT_EQ(fs::status(folder->path).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(folder->path.parent_path()).permissions(), fs::perms::owner_all);
  auto other = MakeRingFolder({shm_}, "other");
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(SweepStaleRingFolders(other->path), 0) << "the first run lives";
  RemoveRingFolder(folder->path);
  EXPECT_FALSE(fs::exists(folder->path));
}

TEST_F(RingFolderTest, SweepsWhatDeadRunsLeft) {
  auto dead = MakeRingFolder({shm_}, "dead");
  ASSERT_TRUE(dead.ok());
  Touch(dead->path / "1999999999.5.ring");
  dead->lock.reset();
  auto busy = MakeRingFolder({shm_}, "busy");
  ASSERT_TRUE(busy.ok());
  Touch(busy->path / OwnRing());
  busy->lock.reset();
  auto own = MakeRingFolder({shm_}, "own");
  ASSERT_TRUE(own.ok());
  EXPECT_EQ(SweepStaleRingFolders(own->path), 1);
  EXPECT_FALSE(fs::exists(dead->path));
  EXPECT_TRUE(fs::exists(busy->path)) << "its process lives";
}

TEST_F(RingFolderTest, TakesTheFirstPlaceThatExists) {
  auto folder = MakeRingFolder({"/nonexistent", shm_}, "run");
  ASSERT_TRUE(folder.ok());
  EXPECT_TRUE(folder->path.string().starts_with(shm_.string()));
  EXPECT_FALSE(MakeRingFolder({"/nonexistent"}, "run").ok());
}

TEST_F(RingFolderTest, MaliceALinkInItsPlaceIsRefused) {
  const fs::path target = shm_ / "target";
  fs::create_directory(target);
  fs::create_directory_symlink(target, shm_ / ("steptrace-" + std::to_string(geteuid())));
  EXPECT_FALSE(MakeRingFolder({shm_}, "run").ok());
}

TEST_F(RingFolderTest, MaliceStrangeFilesAreNotRemoved) {
  auto folder = MakeRingFolder({shm_}, "run");
  ASSERT_TRUE(folder.ok());
  Touch(folder->path / "precious.txt");
  Touch(folder->path / "12.34.ring");
  RemoveRingFolder(folder->path);
  EXPECT_TRUE(fs::exists(folder->path / "precious.txt"));
  EXPECT_FALSE(fs::exists(folder->path / "12.34.ring"));
}

TEST(RingFileName, AcceptsWhatTheLayoutSays) {
  auto plain = ParseRingFileName("12.345.ring");
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->pid, 12);
  EXPECT_EQ(plain->start_time_ticks, 345u);
  EXPECT_TRUE(ParseRingFileName("12.345.2.ring").has_value());
  EXPECT_TRUE(ParseRingFileName("12.345.no_space")->no_space);
}

TEST(RingFileName, MaliceOtherNames) {
  for (const char* name :
       {"", ".", "lock", ".ring", "1.ring", "1..ring", "-1.2.ring", "0.2.ring", "1.-2.ring",
        "1.2.ring ", "1.2.ringx", "1.2.3.4.ring", "x.2.ring", "99999999999.1.ring",
        "1.99999999999999999999999.ring", "1.2.3.no_space", "../1.2.ring", "1.2"}) {
    EXPECT_FALSE(ParseRingFileName(name).has_value()) << name;
  }
}

TEST_F(RingFolderTest, WatchTellsOfEachFileOnceAndFollowsInodes) {
  auto folder = MakeRingFolder({shm_}, "run");
  ASSERT_TRUE(folder.ok());
  auto watch = RingWatch::Open(folder->path);
  ASSERT_TRUE(watch.ok());
  EXPECT_TRUE(watch->TakeNew(true).empty()) << "the lock is no ring";
  Touch(folder->path / "5.6.ring");
  Touch(folder->path / "strange");
  auto found = watch->TakeNew(false);
  ASSERT_EQ(found.size(), 1u) << "inotify told of it";
  EXPECT_EQ(found[0].parts.pid, 5);
  EXPECT_TRUE(watch->TakeNew(true).empty());
  EXPECT_EQ(watch->strange_files(), 1);
  fs::rename(folder->path / "5.6.ring", folder->path / "kept");
  Touch(folder->path / "5.6.ring");
  auto again = watch->TakeNew(true);
  ASSERT_EQ(again.size(), 1u) << "another file of the same name";
  watch->Remove(found[0]);
  EXPECT_TRUE(fs::exists(folder->path / "5.6.ring")) << "only the file that was meant";
  watch->Remove(again[0]);
  EXPECT_FALSE(fs::exists(folder->path / "5.6.ring"));
}

}  // namespace
}  // namespace steptrace::agent
