// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/pending_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "store/test_run.h"

namespace steptrace::rpc {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PendingFileTest : public testing::Test {
 protected:
  fs::path At(const char* name) const { return dir_.path() / name; }
  std::string Content(const char* name) const {
    std::ifstream in(At(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(dir_.path())) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  // Writes "new" to it.
  static Result<PendingFile> Begin(const fs::path& destination) {
    auto file = PendingFile::Create(destination);
    if (file.ok()) {
      EXPECT_EQ(::write(file->fd(), "new", 3), 3);
    }
    return file;
  }

  store::TempDir dir_;
};

TEST_F(PendingFileTest, AppearsWhenItIsCommitted) {
  std::ofstream(At("a")) << "old and longer";
  auto file = Begin(At("a"));
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(Content("a"), "old and longer");
  ASSERT_TRUE(file->Commit().ok());
  EXPECT_EQ(Content("a"), "new");
  EXPECT_THAT(Files(), ElementsAre("a"));
}

TEST_F(PendingFileTest, LeavesNothingWithoutACommit) {
  std::ofstream(At("a")) << "old";
  { ASSERT_TRUE(Begin(At("a")).ok()); }
  EXPECT_THAT(Files(), ElementsAre("a"));
  EXPECT_EQ(Content("a"), "old");
}

TEST_F(PendingFileTest, IsRemovedByAHandlerOfSignalsButNotOnceCommitted) {
  auto one = Begin(At("one"));
  auto two = Begin(At("two"));
  ASSERT_TRUE(one.ok() && two.ok() && one->Commit().ok());
  UnlinkPendingFiles();
  EXPECT_THAT(Files(), ElementsAre("one"));
  EXPECT_FALSE(two->Commit().ok());
}

TEST_F(PendingFileTest, ALinkStaysAndItsEndIsWritten) {
  fs::create_directory(At("deep"));
  fs::create_symlink("../b", At("deep/link"));
  fs::create_symlink("deep/link", At("link"));  // of which the end is not there yet
  for (int again = 0; again < 2; ++again) {
    auto file = Begin(At("link"));
    ASSERT_TRUE(file.ok() && file->Commit().ok());
    EXPECT_TRUE(fs::is_symlink(At("link")) && fs::is_symlink(At("deep/link")));
    EXPECT_FALSE(fs::is_symlink(At("b")));
    EXPECT_EQ(Content("b"), "new");
  }
  fs::create_symlink("loop", At("loop"));
  const auto loop = PendingFile::Create(At("loop"));
  ASSERT_FALSE(loop.ok());
  EXPECT_THAT(loop.error().message, HasSubstr("symbolic links"));
}

TEST_F(PendingFileTest, APipeIsWrittenStraightAndStays) {
  ASSERT_EQ(::mkfifo(At("pipe").c_str(), 0600), 0);
  UniqueFd reader(::open(At("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  auto file = Begin(At("pipe"));
  ASSERT_TRUE(file.ok() && file->Commit().ok());
  char text[8] = {};
  EXPECT_EQ(::read(reader.get(), text, sizeof text), 3);
  EXPECT_STREQ(text, "new");
  EXPECT_THAT(Files(), ElementsAre("pipe"));
}

TEST_F(PendingFileTest, ADescriptorOfOursIsWrittenWhereItStands) {
  std::ofstream(At("log")) << "before ";
  UniqueFd log(::open(At("log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  const fs::path name = "/proc/self/fd/" + std::to_string(log.get());
  fs::create_symlink(name, At("link"));
  for (const fs::path& destination : {name, At("link")}) {
    auto file = Begin(destination);
    ASSERT_TRUE(file.ok() && file->Commit().ok()) << destination;
  }
  EXPECT_EQ(Content("log"), "before newnew");
}

TEST_F(PendingFileTest, AFolderIsRefused) {
  const auto file = PendingFile::Create(dir_.path());
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(file.error().message, HasSubstr("is a folder; name a file"));
}

}  // namespace
}  // namespace steptrace::rpc
