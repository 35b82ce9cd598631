// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/import_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "serve/rpc/import.h"
#include "serve/rpc/imported_before.h"
#include "testing/test_run.h"

namespace steptrace::rpc {
namespace {

namespace fs = std::filesystem;
using ::testing::Optional;

constexpr const char* kCachedTrace =
    R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":2}]})";
constexpr int64_t kAny = 1 << 20;

class ImportCacheTest : public ::testing::Test {
 protected:
  fs::path cache() const { return dir_.path() / "cache"; }
  fs::path Write(const char* folder, const std::string& text) const {
    const fs::path path = dir_.path() / folder / "rank0.json";
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path;
  }
  ImportRequest Request(const fs::path& path) const {
    ImportRequest request;
    request.paths = {path.string()};
    request.folder = cache();
    return request;
  }
  fs::path Import(const fs::path& path) const {
    const ImportRequest request = Request(path);
    const auto imported = ImportProfiles(request, {});
    EXPECT_TRUE(imported.ok());
    if (!imported.ok()) return {};
    KeepContentStamp(imported->run, ContentStamp(request, kAny));
    return imported->run;
  }
  int64_t CacheBytes() const {
    int64_t bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(cache())) {
      if (entry.is_regular_file()) bytes += static_cast<int64_t>(entry.file_size());
    }
    return bytes;
  }
  static void Age(const fs::path& run, std::chrono::minutes minutes) {
    const fs::path mark = run / "content.sha256";
    fs::last_write_time(mark, fs::last_write_time(mark) - minutes);
  }

  store::TempDir dir_;
};

TEST_F(ImportCacheTest, ACopyAtAnotherPlaceIsTheSameProfile) {
  const fs::path run = Import(Write("a", kCachedTrace));
  EXPECT_THAT(CachedContent(cache(), ContentStamp(Request(Write("b", kCachedTrace)), kAny)),
              Optional(run));
}

TEST_F(ImportCacheTest, OtherContentOrLimitsAreNot) {
  Import(Write("a", kCachedTrace));
  const std::string longer = std::string(kCachedTrace) + " ";
  EXPECT_EQ(CachedContent(cache(), ContentStamp(Request(Write("b", longer)), kAny)), std::nullopt);
  ImportRequest shallow = Request(Write("a", kCachedTrace));
  shallow.max_depth = 7;
  EXPECT_EQ(CachedContent(cache(), ContentStamp(shallow, kAny)), std::nullopt);
}

TEST_F(ImportCacheTest, TooMuchContentHasNoStamp) {
  const ImportRequest request = Request(Write("a", kCachedTrace));
  EXPECT_EQ(ContentStamp(request, 10), "");
  EXPECT_EQ(CachedContent(cache(), ""), std::nullopt);
}

TEST_F(ImportCacheTest, ARankMayBeToldByTheFolderWithin) {
  Write("a/rank0", kCachedTrace);
  Write("b/rank1", kCachedTrace);
  const std::string first = ContentStamp(Request(dir_.path() / "a"), kAny);
  EXPECT_NE(ContentStamp(Request(dir_.path() / "b"), kAny), first);
  fs::rename(dir_.path() / "b/rank1", dir_.path() / "b/rank0");
  EXPECT_EQ(ContentStamp(Request(dir_.path() / "b"), kAny), first);
}

TEST_F(ImportCacheTest, WhatChangedMeanwhileHasNoStamp) {
  const ImportRequest request = Request(Write("a", kCachedTrace));
  const std::string source = SourceStamp(request);
  EXPECT_EQ(ContentOfUnchanged(request, source, "x"), "x");
  Write("a", std::string(kCachedTrace) + " ");
  EXPECT_EQ(ContentOfUnchanged(request, source, "x"), "");
  EXPECT_EQ(ContentOfUnchanged(request, "", "x"), "");
}

TEST_F(ImportCacheTest, TheLeastRecentlyUsedGoFirst) {
  const fs::path used_later = Import(Write("a", kCachedTrace));
  const fs::path used_first = Import(Write("b", std::string(kCachedTrace) + " "));
  const fs::path newest = Import(Write("c", std::string(kCachedTrace) + "  "));
  Age(used_later, std::chrono::minutes(60));
  Age(used_first, std::chrono::minutes(70));
  TrimCache(cache(), CacheBytes() - 1, newest);
  EXPECT_FALSE(fs::exists(used_first));
  EXPECT_TRUE(fs::exists(used_later)) << "one was enough";
  TrimCache(cache(), 1, newest);
  EXPECT_FALSE(fs::exists(used_later));
  EXPECT_TRUE(fs::exists(newest));
}

TEST_F(ImportCacheTest, WhatIsInUseStays) {
  const fs::path used = Import(Write("a", kCachedTrace));
  const fs::path held = Import(Write("b", std::string(kCachedTrace) + " "));
  Age(used, std::chrono::minutes(60));
  Age(held, std::chrono::minutes(60));
  TouchCached(used);
  UniqueFd in_use = HoldCached(held);
  EXPECT_TRUE(in_use.valid());
  TrimCache(cache(), 1, {});
  EXPECT_TRUE(fs::exists(used)) << "within the last ten minutes";
  EXPECT_TRUE(fs::exists(held));
  in_use.reset();
  TrimCache(cache(), 1, {});
  EXPECT_FALSE(fs::exists(held));
  EXPECT_FALSE(HoldCached(held).valid());
}

TEST_F(ImportCacheTest, ARunThatIsBeingRemovedIsNotFound) {
  const fs::path path = Write("a", kCachedTrace);
  const fs::path gone = cache() / ".rank0.removed";
  fs::rename(Import(path), gone);
  EXPECT_EQ(CachedContent(cache(), ContentStamp(Request(path), kAny)), std::nullopt);
  EXPECT_EQ(ImportedBefore(cache(), SourceStamp(Request(path))), std::nullopt);
  TrimCache(cache(), int64_t{1} << 40, {});
  EXPECT_FALSE(fs::exists(gone)) << "left by a process that ended meanwhile";
}

TEST_F(ImportCacheTest, AUsedRunWithoutAMarkGetsOne) {
  const fs::path run = Import(Write("a", kCachedTrace));
  fs::remove(run / "content.sha256");
  TouchCached(run);
  Age(run, std::chrono::minutes(60));
  TrimCache(cache(), 1, {});
  EXPECT_FALSE(fs::exists(run));
}

TEST(ImportCacheFolder, OnlyOneOfOnesOwnIsUsed) {
  const store::TempDir dir;
  const fs::path cache = dir.path() / "cache";
  EXPECT_FALSE(IsOwnCache(cache));
  fs::create_directory(cache);
  fs::permissions(cache, fs::perms::owner_all);
  EXPECT_TRUE(IsOwnCache(cache));
  fs::create_symlink(cache, dir.path() / "link");
  EXPECT_FALSE(IsOwnCache(dir.path() / "link"));
  fs::permissions(cache, fs::perms::owner_all | fs::perms::group_write);
  EXPECT_FALSE(IsOwnCache(cache));
  fs::permissions(cache, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(IsOwnCache(cache), ::geteuid() == 0) << "root may write anywhere";
}

TEST_F(ImportCacheTest, WhatFitsStays) {
  const fs::path run = Import(Write("a", kCachedTrace));
  Age(run, std::chrono::minutes(60));
  TrimCache(cache(), int64_t{1} << 40, {});
  EXPECT_TRUE(fs::exists(run));
}

TEST(ImportCacheFolder, IsTheUsers) {
  EXPECT_EQ(ImportCacheFolder("/x", "/home/u"), "/x/steptrace/imports");
  EXPECT_EQ(ImportCacheFolder("relative", "/home/u"), "/home/u/.cache/steptrace/imports");
  EXPECT_EQ(ImportCacheFolder("", ""), "");
}

}  // namespace
}  // namespace steptrace::rpc
