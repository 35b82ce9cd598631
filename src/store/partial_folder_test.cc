// SPDX-License-Identifier: Apache-2.0
#include "store/partial_folder.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

class PartialFolderTest : public testing::Test {
 protected:
  PartialFolderTest() {
    std::string pattern = (fs::temp_directory_path() / "partial_folder_test.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~PartialFolderTest() override { fs::remove_all(folder_); }

  // The number of a process that has ended.
  static pid_t DeadProcess() {
    pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    return child;
  }
  fs::path Left(const std::string& name, pid_t pid) {
    fs::path path = folder_ / ("." + name + "." + std::to_string(pid) + ".partial");
    fs::create_directories(path / "tables");
    return path;
  }

  fs::path folder_;
};

TEST_F(PartialFolderTest, GoesWithItsObjectOrToItsPlace) {
  fs::path path;
  {
    auto partial = PartialFolder::Make(folder_ / "run");
    ASSERT_TRUE(partial.ok());
    path = partial->path();
    EXPECT_TRUE(fs::is_directory(path));
  }
  EXPECT_FALSE(fs::exists(path));
  auto partial = PartialFolder::Make(folder_ / "run");
  std::ofstream(partial->path() / "run.json") << "{}";
  ASSERT_TRUE(partial->MoveTo(folder_ / "run").ok());
  EXPECT_FALSE(fs::exists(path));
  std::vector<fs::path> inside(fs::directory_iterator(folder_ / "run"), {});
  EXPECT_THAT(inside, testing::ElementsAre(folder_ / "run" / "run.json"));
}

TEST_F(PartialFolderTest, IsPrivateUnlessAskedOtherwise) {
  const mode_t before = ::umask(0);
  auto partial = PartialFolder::Make(folder_ / "run");
  auto group = PartialFolder::Make(folder_ / "other", kGroupFolder);
  ::umask(before);
  ASSERT_TRUE(partial.ok() && group.ok());
  EXPECT_EQ(static_cast<mode_t>(fs::status(partial->path()).permissions()), kPrivateFolder);
  EXPECT_EQ(static_cast<mode_t>(fs::status(group->path()).permissions()), kGroupFolder);
}

TEST_F(PartialFolderTest, WhatDeadProcessesLeftIsRemoved) {
  fs::path unlocked = Left("other.run", DeadProcess());
  fs::path locked_once = Left("run", DeadProcess());
  std::ofstream(locked_once / "lock") << "";
  fs::path number_again = Left("run", ::getppid());  // lives, but is another
  std::ofstream(number_again / "lock") << "";
  auto partial = PartialFolder::Make(folder_ / "run");
  ASSERT_TRUE(partial.ok());
  EXPECT_FALSE(fs::exists(unlocked));
  EXPECT_FALSE(fs::exists(locked_once));
  EXPECT_FALSE(fs::exists(number_again));
}

TEST_F(PartialFolderTest, WhatIsInUseOrNotOursStays) {
  auto first = PartialFolder::Make(folder_ / "a");
  fs::path young = Left("b", ::getppid());   // its lock is still to come
  fs::path making = Left("d", ::getppid());  // it is not held yet
  std::ofstream(making / "lock.fresh") << "";
  fs::path named_so = folder_ / ".x.partial";
  fs::path no_number = folder_ / ".x.12a.partial";
  fs::path no_folder = folder_ / (".x." + std::to_string(DeadProcess()) + ".partial");
  fs::path link = folder_ / (".y." + std::to_string(DeadProcess()) + ".partial");
  fs::create_directory(named_so);
  fs::create_directory(no_number);
  std::ofstream(no_folder) << "text";
  fs::create_directory_symlink(named_so, link);
  auto second = PartialFolder::Make(folder_ / "c");
  ASSERT_TRUE(second.ok());
  for (const fs::path& path :
       {first->path(), young, making, named_so, no_number, no_folder, link}) {
    EXPECT_TRUE(fs::exists(path)) << path;
  }
}

TEST_F(PartialFolderTest, AKilledProcessLeavesOneThatTheNextRemoves) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  pid_t child = ::fork();
  if (child == 0) {
    auto partial = PartialFolder::Make(folder_ / "run");
    (void)!::write(ready[1], "x", 1);
    ::pause();
    ::_exit(partial.ok());
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  fs::path left = folder_ / (".run." + std::to_string(child) + ".partial");
  { auto other = PartialFolder::Make(folder_ / "other"); }
  EXPECT_TRUE(fs::exists(left));  // it is at work
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(fs::exists(left));
  { auto other = PartialFolder::Make(folder_ / "other"); }
  EXPECT_FALSE(fs::exists(left));
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace
}  // namespace steptrace::store
