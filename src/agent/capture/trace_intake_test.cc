// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/trace_intake.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "testing/test_run.h"

namespace steptrace::agent {
namespace {

namespace fs = std::filesystem;

TEST(TraceNames, AreOfAProcessAndANumber) {
  struct Case {
    const char* name;
    bool good;
    bool partial;
  };
  for (const Case& one : {Case{"12-3.json", true, false}, Case{"12-3.json.partial", true, true},
                          Case{"12-3.json.partial.tmp", true, true},
                          Case{"12-3.json.tmp", false, false}, Case{"-3.json", false, false},
                          Case{"12-.json", false, false}, Case{"12-0.json", false, false},
                          Case{"0-1.json", false, false}, Case{"kept-12-3.json", false, false},
                          Case{"12-3.run", false, false}, Case{"12-3.json/../x", false, false},
                          Case{"99999999999-1.json", false, false}, Case{"", false, false}}) {
    const auto parsed = ParseTraceName(one.name);
    EXPECT_EQ(parsed.has_value(), one.good) << one.name;
    if (!parsed) continue;
    EXPECT_EQ(parsed->partial, one.partial) << one.name;
    EXPECT_EQ(parsed->pid, 12) << one.name;
  }
}

// In the place of steptrace: makes the folder that it is told to make, with its arguments in it.
class TraceIntakeTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directory(profiles_); }

  fs::path Importer(const char* body = "mkdir \"$4\" && echo \"$*\" > \"$4/said\"\n") {
    const fs::path path = dir_.path() / "importer";
    std::ofstream(path) << "#!/bin/sh\n" << body;
    chmod(path.c_str(), 0700);
    return path;
  }
  void Put(const std::string& name, const std::string& text = "{}") {
    std::ofstream(profiles_ / name) << text;
  }
  static std::optional<TraceIntake::Imported> WaitFor(TraceIntake& intake,
                                                      bool partial_too = false) {
    for (int i = 0; i < 10'000; ++i) {
      intake.Poll(partial_too);
      if (auto imported = intake.TakeImported()) return imported;
      if (!intake.busy()) return std::nullopt;
      usleep(1000);
    }
    return std::nullopt;
  }

  store::TempDir dir_;
  const fs::path profiles_ = dir_.path() / kProfilesName;
};

TEST_F(TraceIntakeTest, TakesFilesInTheirOrderAndRemovesWhatWasMerged) {
  Put("7-2.json");
  Put("8-1.json");
  Put("notes.txt");
  TraceIntake intake(dir_.path(), Importer(), false);
  for (const auto& [pid, number] : {std::pair(8, 1), std::pair(7, 2)}) {
    const auto imported = WaitFor(intake);
    ASSERT_TRUE(imported);
    EXPECT_EQ(imported->name.pid, pid);
    EXPECT_EQ(imported->name.number, number);
    EXPECT_EQ(imported->failed, "");
    EXPECT_TRUE(fs::exists(imported->run / "said"));
    intake.Settle(*imported, true);
    EXPECT_FALSE(fs::exists(imported->run));
  }
  EXPECT_FALSE(WaitFor(intake));
  EXPECT_FALSE(intake.busy());
  EXPECT_TRUE(fs::exists(profiles_ / "notes.txt"));
  EXPECT_FALSE(fs::exists(profiles_ / "7-2.json"));
}

TEST_F(TraceIntakeTest, KeptFileIsImportedOnce) {
  Put("7-1.json", "kept");
  TraceIntake intake(dir_.path(), Importer(), true);
  const auto imported = WaitFor(intake);
  ASSERT_TRUE(imported);
  intake.Settle(*imported, true);
  EXPECT_FALSE(WaitFor(intake));
  EXPECT_TRUE(fs::exists(profiles_ / "kept-7-1.json"));
}

// The training's umask made it.
TEST_F(TraceIntakeTest, AFileThatStaysMayBeReadAsItsFolder) {
  for (const mode_t mode : {mode_t{0700}, mode_t{0750}}) {
    Put("7-1.json");
    chmod((profiles_ / "7-1.json").c_str(), 0644);
    chmod(profiles_.c_str(), mode);
    TraceIntake intake(dir_.path(), Importer(), true);
    const auto imported = WaitFor(intake);
    ASSERT_TRUE(imported);
    intake.Settle(*imported, true);
    const auto found = fs::status(profiles_ / "kept-7-1.json").permissions();
    EXPECT_EQ(static_cast<mode_t>(found), mode & 0666);
  }
}

TEST_F(TraceIntakeTest, UnimportableFileStaysAndIsReportedOnce) {
  Put("7-1.json", "no profile");
  TraceIntake intake(dir_.path(), Importer("exit 2\n"), false);
  const auto imported = WaitFor(intake);
  ASSERT_TRUE(imported);
  EXPECT_NE(imported->failed.find("could not be imported"), std::string::npos);
  intake.Settle(*imported, false);
  EXPECT_FALSE(WaitFor(intake));
  EXPECT_TRUE(fs::exists(profiles_ / "refused-7-1.json"));
}

TEST_F(TraceIntakeTest, AnImporterThatIsNotThereIsAFailure) {
  Put("7-1.json");
  TraceIntake intake(dir_.path(), dir_.path() / "nothing", false);
  const auto imported = WaitFor(intake);
  ASSERT_TRUE(imported);
  EXPECT_NE(imported->failed, "");
}

TEST_F(TraceIntakeTest, PartialFilesAreTakenWhenTheirProcessesAreGone) {
  Put("7-1.json.partial.tmp");
  TraceIntake intake(dir_.path(), Importer(), false);
  EXPECT_FALSE(WaitFor(intake, false));
  EXPECT_TRUE(WaitFor(intake, true));
}

TEST_F(TraceIntakeTest, MaliceLinksAndFoldersAreNotFollowed) {
  std::ofstream(dir_.path() / "secret") << "{}";
  fs::create_symlink(dir_.path() / "secret", profiles_ / "7-1.json");
  fs::create_directory(profiles_ / "7-2.json");
  ASSERT_EQ(mkfifo((profiles_ / "7-3.json").c_str(), 0600), 0);
  TraceIntake intake(dir_.path(), Importer(), false);
  EXPECT_FALSE(WaitFor(intake, true));
}

TEST_F(TraceIntakeTest, WithoutTheFolderThereIsNothingToDo) {
  fs::remove(profiles_);
  TraceIntake intake(dir_.path(), Importer(), false);
  EXPECT_FALSE(WaitFor(intake, true));
  EXPECT_FALSE(intake.busy());
}

}  // namespace
}  // namespace steptrace::agent
