// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/ring_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "agent/ingest/ring_watch.h"
#include "agent/system/process.h"

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
  static void MakeOld(const RingFolder& folder) {
    fs::last_write_time(folder.path / "lock",
                        fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
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
  MakeOld(*dead);
  auto busy = MakeRingFolder({shm_}, "busy");
  ASSERT_TRUE(busy.ok());
  Touch(busy->path / OwnRing());
  busy->lock.reset();
  MakeOld(*busy);
  auto own = MakeRingFolder({shm_}, "own");
  ASSERT_TRUE(own.ok());
  EXPECT_EQ(SweepStaleRingFolders(own->path), 1);
  EXPECT_FALSE(fs::exists(dead->path));
  EXPECT_TRUE(fs::exists(busy->path)) << "its process lives";
}

TEST_F(RingFolderTest, DoesNotSweepWhatIsJustBeingMade) {
  auto young = MakeRingFolder({shm_}, "young");
  auto own = MakeRingFolder({shm_}, "own");
  ASSERT_TRUE(young.ok() && own.ok());
  young->lock.reset();  // as between the making of the file and its lock
  EXPECT_EQ(SweepStaleRingFolders(own->path), 0);
  EXPECT_TRUE(fs::exists(young->path));
}

TEST_F(RingFolderTest, AnEndingRunDoesNotStopABeginningOne) {
  std::atomic<bool> stop = false;
  std::thread ending([&] {
    const fs::path outer = shm_ / ("steptrace-" + std::to_string(geteuid()));
    while (!stop) {
      rmdir(outer.c_str());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  int made = 0;
  for (int i = 0; i < 300; ++i) {
    auto folder = MakeRingFolder({shm_}, "run");
    made += folder.ok() ? 1 : 0;
    if (folder.ok()) RemoveRingFolder(folder->path);
  }
  stop = true;
  ending.join();
  EXPECT_EQ(made, 300);
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

TEST_F(RingFolderTest, FilesBeyondTheLimitAreCountedOnce) {
  auto folder = MakeRingFolder({shm_}, "run");
  ASSERT_TRUE(folder.ok());
  auto watch = RingWatch::Open(folder->path);
  ASSERT_TRUE(watch.ok());
  for (size_t pid = 1; pid <= RingWatch::kMaxFiles + 3; ++pid) {
    Touch(folder->path / (std::to_string(pid) + ".1.ring"));
  }
  const auto found = watch->TakeNew(true);
  ASSERT_EQ(found.size(), RingWatch::kMaxFiles);
  EXPECT_EQ(watch->files_beyond_limit(), 3);
  EXPECT_TRUE(watch->TakeNew(true).empty());
  EXPECT_EQ(watch->files_beyond_limit(), 3) << "the same three as before";
  watch->Remove(found[0]);
  EXPECT_EQ(watch->TakeNew(true).size(), 1u) << "there is room for another";
}

}  // namespace
}  // namespace steptrace::agent
