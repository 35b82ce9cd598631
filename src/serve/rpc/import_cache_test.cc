// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/import_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "serve/rpc/import.h"
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

TEST_F(ImportCacheTest, TheLeastRecentlyUsedGoFirst) {
  const fs::path old = Import(Write("a", kCachedTrace));
  const fs::path used = Import(Write("b", std::string(kCachedTrace) + " "));
  const fs::path newest = Import(Write("c", std::string(kCachedTrace) + "  "));
  Age(old, std::chrono::minutes(60));
  Age(used, std::chrono::minutes(70));
  TouchCached(used);
  TrimCache(cache(), 1, newest);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(used)) << "used within the last ten minutes";
  EXPECT_TRUE(fs::exists(newest));
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
