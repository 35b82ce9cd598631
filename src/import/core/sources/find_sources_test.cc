// SPDX-License-Identifier: Apache-2.0
#include "import/core/sources/find_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "import/core/sources/zip_text.h"
#include "testing/test_run.h"

namespace steptrace::import {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SourceTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::permissions(top(), fs::perms::all); }
  fs::path top() const { return dir_.path(); }
  void Write(const std::string& file) {
    fs::create_directories((top() / file).parent_path());
    std::ofstream(top() / file) << "{}";
  }
  std::vector<std::string> Inside(const FoundSources& found) const {
    std::vector<std::string> names;
    for (const Source& source : found.sources) names.push_back(source.inside);
    return names;
  }
  // As somebody who is not root, who may read everything; nothing: root may not become another.
  std::optional<Result<FoundSources>> FindAsAnybody(const fs::path& path) {
    const uid_t user = ::geteuid();
    if (user == 0 && ::seteuid(65534) != 0) return std::nullopt;
    auto found = FindSources(path.string(), {});
    EXPECT_EQ(::seteuid(user), 0);
    return found;
  }

  store::TempDir dir_;
};

TEST_F(SourceTest, AFolderIsItsFilesByNameButForHiddenOnesAndLinkedFolders) {
  for (const char* file : {"rank10.json", "rank2.json", "b/c/x.json", ".hidden/x", "b/.x"}) {
    Write(file);
  }
  fs::create_directory_symlink(top() / "b", top() / "again");
  fs::create_symlink(top() / "b/c/x.json", top() / "one");
  fs::create_symlink(top() / "no", top() / "to_nothing");
  fs::create_symlink(top() / "one/x", top() / "to_nothing_in_a_file");
  fs::create_symlink(top() / "to_itself", top() / "to_itself");
  const auto found = FindSources(top().string(), {});
  ASSERT_OK(found);
  EXPECT_THAT(Inside(*found), ElementsAre("b/c/x.json", "one", "rank2.json", "rank10.json"));
  EXPECT_THAT(found->refused, IsEmpty());
}

TEST_F(SourceTest, AFolderWithinThatMayNotBeReadIsNamed) {
  Write("a/x.json");
  Write("closed/y.json");
  fs::create_symlink(top() / "closed/y.json", top() / "into");
  fs::permissions(top() / "closed", fs::perms::none);
  const auto all = FindAsAnybody(top());
  const auto closed = FindAsAnybody(top() / "closed");
  fs::permissions(top() / "closed", fs::perms::owner_all);
  if (!all || !closed) GTEST_SKIP() << "root may not become another user here";
  const auto& found = *all;
  ASSERT_OK(found);
  EXPECT_THAT(Inside(*found), ElementsAre("a/x.json"));
  ASSERT_EQ(found->refused.size(), 2u);
  const std::string why = ": Permission denied; ask its owner for the right to read it";
  EXPECT_EQ(found->refused[0].text(), (top() / "closed").string() + why);
  EXPECT_EQ(found->refused[1].text(), (top() / "into").string() + why);
  ASSERT_FALSE(closed->ok()) << "nothing would be left";
  EXPECT_THAT(closed->error().text(), HasSubstr(why));
}

TEST_F(SourceTest, WhereAllMayNotBeReadThatIsTheReasonAndNotAnEmptyFolder) {
  EXPECT_THAT(FindSources(top().string(), {}).error().text(), HasSubstr("holds no file"));
  Write("closed/y.json");
  fs::permissions(top() / "closed", fs::perms::none);
  const auto all = FindAsAnybody(top());
  fs::permissions(top() / "closed", fs::perms::owner_all);
  if (!all) GTEST_SKIP() << "root may not become another user here";
  const auto& found = *all;
  ASSERT_OK(found);
  EXPECT_THAT(found->sources, IsEmpty());
  EXPECT_EQ(found->refused.size(), 1u);
}

TEST_F(SourceTest, WhatIsNoMatterOfRightsHasItsOwnNextStep) {
  Write("a/x.json");
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
  rlimit none = usual;
  none.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto found = FindSources(top().string(), {});
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().text(),
            top().string() + ": Too many open files; raise the limit of open files (ulimit -n)");
}

std::string WhyRefused(const fs::path& path, int64_t max_bytes) {
  Limits limits;
  limits.max_bytes = max_bytes;
  const auto found = FindSources(path.string(), limits);
  if (!found.ok()) return found.error().text();
  const auto head = ReadHead(found->sources.front(), 16);
  return head.ok() ? "" : head.error().text();
}

TEST_F(SourceTest, ALimitHoldsForAFileThatIsNotPacked) {
  Write("x.json");
  fs::resize_file(top() / "x.json", 5000);
  EXPECT_EQ(WhyRefused(top(), 5000), "");
  EXPECT_EQ(WhyRefused(top(), 4999),
            (top() / "x.json").string() +
                ": has 5000 bytes, more than 4999; if that is meant, raise --max-bytes");
}

TEST_F(SourceTest, AFileWithHolesIsOneThatIsPacked) {
  Write("x.json");
  fs::resize_file(top() / "x.json", kUnpackedFree);
  EXPECT_EQ(WhyRefused(top(), 0), "");
  fs::resize_file(top() / "x.json", kUnpackedFree + 1);
  EXPECT_THAT(WhyRefused(top(), 0), HasSubstr("(100 times its size on the disk, or 1 GiB); if"));
  EXPECT_EQ(WhyRefused(top(), kUnpackedFree + 1), "");
}

TEST_F(SourceTest, OfAFileOnTheDiskThereIsAPlaceToSeekInAndNotOfAMember) {
  Write("x.json");
  std::ofstream(top() / "packed.zip") << ZipWithoutIndex("a.json", "{}");
  const auto found = FindSources(top().string(), {});
  ASSERT_OK(found);
  EXPECT_THAT(Inside(*found), ElementsAre("a.json", "x.json"));
  EXPECT_EQ(found->sources[0].file, std::nullopt);
  EXPECT_EQ(found->sources[1].file, top() / "x.json");
}

TEST_F(SourceTest, AFileThatGrowsIsReadAsItWasWhenItWasOpened) {
  Write("x.json");
  const auto found = FindSources(top().string(), {});
  ASSERT_OK(found);
  const auto stream = found->sources.front().Open();
  ASSERT_OK(stream);
  std::ofstream(top() / "x.json", std::ios::app) << "more";
  std::string text(16, '\0');
  const auto got = ReadFully(**stream, text.data(), text.size());
  ASSERT_OK(got);
  EXPECT_EQ(text.substr(0, *got), "{}");
}

}  // namespace
}  // namespace steptrace::import
