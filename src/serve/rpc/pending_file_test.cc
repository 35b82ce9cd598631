// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/pending_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "testing/test_run.h"

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

TEST_F(PendingFileTest, AFolderThatWasMadeForFilesGoesWhereNoneAppears) {
  { EXPECT_TRUE(OutputFolder::Make(At("failed")).ok()); }
  EXPECT_FALSE(fs::exists(At("failed")));
  fs::create_directory(At("before"));
  { EXPECT_TRUE(OutputFolder::Make(At("before")).ok()); }
  EXPECT_TRUE(fs::exists(At("before")));
  {
    auto folder = OutputFolder::Make(At("made"));
    ASSERT_TRUE(folder.ok());
    auto file = Begin(At("made") / "file");
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->Commit().ok());
  }
  EXPECT_TRUE(fs::exists(At("made") / "file"));
  auto folder = OutputFolder::Make(At("stopped"));
  ASSERT_TRUE(folder.ok());
  auto file = Begin(At("stopped") / "file");
  UnlinkPendingFiles();
  EXPECT_FALSE(fs::exists(At("stopped")));
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
  EXPECT_THAT(loop.error().text(), HasSubstr("symbolic links"));
}

// As the kernel's fs.protected_symlinks has it for whoever opens a path.
TEST_F(PendingFileTest, ALinkThatAnotherUserPutIntoASharedFolderIsNotFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  constexpr uid_t kOther = 65534;
  fs::create_directory(At("shared"));
  std::ofstream(At("mine")) << "mine";
  fs::create_symlink("../mine", At("shared/link"));
  const auto may = [&](mode_t mode, uid_t of_folder, uid_t of_link) {
    EXPECT_EQ(::chown(At("shared").c_str(), of_folder, 0), 0);
    EXPECT_EQ(::chmod(At("shared").c_str(), mode), 0);
    EXPECT_EQ(::lchown(At("shared/link").c_str(), of_link, 0), 0);
    auto file = Begin(At("shared/link"));
    const std::string reported = file.ok() ? "" : file.error().text();
    EXPECT_TRUE(file.ok() || reported.find("shared/link: Permission denied") != reported.npos)
        << reported;
    return file.ok();
  };
  EXPECT_FALSE(may(01777, 0, kOther));
  EXPECT_TRUE(may(01777, 0, 0));            // ours
  EXPECT_TRUE(may(01777, kOther, kOther));  // the folder's owner may do as he likes in it
  EXPECT_TRUE(may(0777, 0, kOther));        // whoever may replace what is there needs no link
  EXPECT_TRUE(may(01755, 0, kOther));
  fs::create_symlink("shared/link", At("link"));
  EXPECT_TRUE(Begin(At("link")).ok());
  EXPECT_FALSE(may(01777, 0, kOther));
  EXPECT_FALSE(Begin(At("link")).ok());
  EXPECT_EQ(Content("mine"), "mine");
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

// What a test's handler of signals saw, and in which order.
std::vector<std::string>* g_seen = nullptr;

// Becomes part of what is committed; `also` happens meanwhile.
struct Committed {
  std::string name;
  std::function<void()> also = [] {};
  Status Commit() {
    also();
    g_seen->push_back(name);
    return {};
  }
};

TEST_F(PendingFileTest, ASignalWaitsUntilAllHaveAppeared) {
  std::vector<std::string> seen;
  g_seen = &seen;
  struct sigaction note {};
  struct sigaction before {};
  note.sa_handler = [](int signal) { g_seen->push_back(signal == SIGINT ? "INT" : "TERM"); };
  ASSERT_EQ(::sigaction(SIGINT, &note, &before), 0);
  const auto interrupt = [] { ::raise(SIGINT); };
  const auto from_a_thread = [] { std::thread([] { ::kill(::getpid(), SIGINT); }).join(); };
  std::vector<Committed> files = {{"a", interrupt}, {"b", from_a_thread}, {"c"}};
  EXPECT_TRUE(CommitAll(files).ok());
  EXPECT_THAT(seen, ElementsAre("a", "b", "c", "INT"));
  // As before: at once.
  interrupt();
  EXPECT_EQ(seen.size(), 5u);
  // What the parent had ignored stays so.
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(::sigaction(SIGINT, &ignore, nullptr), 0);
  EXPECT_TRUE(CommitAll(files).ok());
  EXPECT_EQ(seen.size(), 8u);
  ::sigaction(SIGINT, &before, nullptr);
  g_seen = nullptr;
}

TEST_F(PendingFileTest, ARenameThatFailsSaysWhatIsNew) {
  std::vector<PendingFile> files;
  for (const char* name : {"a", "b", "c"}) files.push_back(*Begin(At(name)));
  fs::create_directory(At("b"));
  const Status committed = CommitAll(files);
  ASSERT_FALSE(committed.ok());
  EXPECT_THAT(committed.error().text(), HasSubstr("/b: Is a directory; "));
  EXPECT_THAT(committed.error().text(),
              HasSubstr("; 1 of 3 files are new, the others as they were"));
  files.clear();
  EXPECT_THAT(Files(), ElementsAre("a", "b"));
}

TEST_F(PendingFileTest, AFolderIsRefused) {
  const auto file = PendingFile::Create(dir_.path());
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(file.error().text(), HasSubstr("is a folder; name a file"));
}

}  // namespace
}  // namespace steptrace::rpc
