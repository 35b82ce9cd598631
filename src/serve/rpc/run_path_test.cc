// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/run_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "serve/rpc/import.h"
#include "testing/test_run.h"

namespace steptrace::rpc {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class RunPathTest : public ::testing::Test {
 protected:
  void Make(const std::string& folder, const std::string& name, int64_t epoch_utc_ns) {
    store::Manifest manifest = store::CompletedManifest();
    manifest.name = name;
    manifest.id = folder;
    manifest.epoch_utc_ns = epoch_utc_ns;
    auto writer = store::RunWriter::Create(runs() / folder, manifest, store::QuietOptions());
    ASSERT_OK(writer);
    ASSERT_OK(writer->Close(manifest));
  }
  fs::path runs() const { return dir_.path(); }
  std::string Found(const std::string& text) {
    auto run = ResolveRun(text, runs());
    return run.ok() ? run->filename().string() : run.error().text();
  }

  store::TempDir dir_;
};

TEST_F(RunPathTest, APathANameAnIdOrTheNewest) {
  Make("train-1", "train", 1'000);
  Make("train-2", "train", 3'000);
  Make("eval-1", "eval", 2'000);
  EXPECT_EQ(Found((runs() / "train-1").string()), "train-1");
  EXPECT_EQ(Found("train-1"), "train-1");
  EXPECT_EQ(Found("train"), "train-2");  // the newest of that name
  EXPECT_EQ(Found("eval"), "eval-1");
  EXPECT_EQ(Found(""), "train-2");
}

// Imports of cut.json and of cut.json.gz are both named "cut"; one lies in a folder of that name.
TEST_F(RunPathTest, AFolderAndAnIdGoBeforeTheNameOfANewerRun) {
  Make("cut", "cut", 1'000);
  Make("cut-2", "cut", 2'000);
  Make("other", "cut-2", 3'000);
  EXPECT_EQ(Found("cut"), "cut");
  EXPECT_EQ(Found("cut-2"), "cut-2");
  fs::rename(runs() / "cut", runs() / "moved");
  EXPECT_EQ(Found("cut"), "moved") << "its id is still cut";
  fs::remove_all(runs() / "moved");
  EXPECT_EQ(Found("cut"), "cut-2");
}

// Each text must find that run, and no other.
TEST_F(RunPathTest, TheShortestNameThatFindsTheRun) {
  Make("train-1", "train", 1'000);
  Make("train-2", "train", 3'000);
  Make("x", "a-long-name", 2'000);
  const auto shortest = [&](const std::string& folder, const std::string& name) {
    const std::string text = ShortestName(runs() / folder, name, runs());
    EXPECT_EQ(Found(text), folder);
    return text;
  };
  EXPECT_EQ(shortest("train-2", "train"), "train");
  EXPECT_EQ(shortest("train-1", "train"), "train-1") << "a newer run has its name";
  EXPECT_EQ(shortest("x", "a-long-name"), "x");
  // Elsewhere than where commands look: by its path alone.
  const fs::path elsewhere = fs::absolute("run-path-test-elsewhere");
  fs::remove_all(elsewhere);
  fs::create_directory(elsewhere);
  fs::copy(runs() / "x", elsewhere / "mine", fs::copy_options::recursive);
  EXPECT_EQ(ShortestName(elsewhere / "mine", "a-long-name", fs::path("no-such-folder")),
            "run-path-test-elsewhere/mine");
  fs::remove_all(elsewhere);
  EXPECT_EQ(ShortestName(runs() / "x", "a-long-name", "no-such-folder"),
            std::min((runs() / "x").string(), fs::proximate(runs() / "x").string(),
                     [](const auto& a, const auto& b) { return a.size() < b.size(); }));
}

TEST_F(RunPathTest, ASlashBehindANameIsTheShells) {
  Make("train-1", "train", 1'000);
  EXPECT_EQ(Found("train/"), Found("train"));
  EXPECT_EQ(Found("train-1//"), Found("train-1"));
}

TEST_F(RunPathTest, MissingRunIsNamedWithTheNextStep) {
  EXPECT_THAT(Found("nope"), HasSubstr("nope: no such run"));
  EXPECT_THAT(Found("nope"), HasSubstr("steptrace ls"));
  EXPECT_THAT(Found(""), HasSubstr(runs().string()));
  fs::create_directory(runs() / "empty");
  EXPECT_THAT(Found((runs() / "empty").string()), HasSubstr("it has no manifest"));
  // Rows without their manifest: reading says what is missing, recovery goes on.
  fs::create_directories(runs() / "cut" / "tables" / "tracks" / "node=0");
  EXPECT_THAT(Found((runs() / "cut").string()), HasSubstr("it has no manifest"));
  std::ofstream(runs() / "cut" / "tables" / "tracks" / "node=0" / "0.parquet") << "PAR1";
  EXPECT_EQ(Found((runs() / "cut").string()), "cut");
  EXPECT_EQ(Found("cut"), "cut");
  EXPECT_FALSE(IsProfile(runs() / "cut"));
  const std::string profile = (runs() / "trace.json").string();
  std::ofstream(profile) << "{}";
  EXPECT_THAT(Found(profile), HasSubstr("`steptrace import " + profile + "`"));
  const std::string spaced = (runs() / "a trace.json").string();
  std::ofstream(spaced) << "{}";
  EXPECT_THAT(Found(spaced), HasSubstr("`steptrace import '" + spaced + "'`"));
}

TEST_F(RunPathTest, AFolderThatMayNotBeReadIsNotCalledEmpty) {
  Make("train-1", "train", 1'000);
  const fs::path run = runs() / "train-1";
  fs::permissions(runs(), fs::perms::all);
  fs::permissions(run, fs::perms::none);
  const uid_t user = ::geteuid();
  // Root may read everything.
  if (user == 0 && ::seteuid(65534) != 0) GTEST_SKIP() << "root may not become another user here";
  const std::string found = Found(run.string());
  ASSERT_EQ(::seteuid(user), 0);
  fs::permissions(run, fs::perms::owner_all);
  EXPECT_EQ(found, "cannot look into " + run.string() +
                       ": Permission denied; ask its owner for the right to read it");
}

}  // namespace
}  // namespace steptrace::rpc
