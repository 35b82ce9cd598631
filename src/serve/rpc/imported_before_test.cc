// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/imported_before.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "store/recovery.h"
#include "testing/test_run.h"

namespace steptrace::rpc {
namespace {

namespace fs = std::filesystem;
using ::testing::Ne;
using ::testing::Optional;

constexpr const char* kTrace =
    R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":2}]})";

class ImportedBeforeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(fs::create_directories(trace().parent_path()));
    Write(trace(), kTrace);
  }
  static void Write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

  fs::path runs() const { return dir_.path() / "runs"; }
  fs::path trace() const { return dir_.path() / "traces" / "rank0.json"; }
  ImportRequest Request(const fs::path& path) const {
    ImportRequest request;
    request.paths = {path.string()};
    request.folder = runs();
    return request;
  }
  std::optional<fs::path> Found(const ImportRequest& request) const {
    return ImportedBefore(runs(), SourceStamp(request));
  }
  fs::path Import(const ImportRequest& request) const {
    auto imported = ImportProfiles(request, {});
    EXPECT_TRUE(imported.ok());
    return imported.ok() ? imported->run : fs::path();
  }

  store::TempDir dir_;
};

TEST_F(ImportedBeforeTest, AFileAsItWasIsFoundByAnyOfItsPaths) {
  EXPECT_EQ(Found(Request(trace())), std::nullopt);
  const fs::path run = Import(Request(trace()));
  EXPECT_THAT(Found(Request(trace())), Optional(run));
  fs::create_symlink(trace(), dir_.path() / "link.json");
  EXPECT_THAT(Found(Request(dir_.path() / "link.json")), Optional(run));
}

TEST_F(ImportedBeforeTest, AFileThatWasWrittenAnewIsNot) {
  Import(Request(trace()));
  const auto modified = fs::last_write_time(trace());
  Write(trace(), std::string(kTrace) + " ");
  EXPECT_EQ(Found(Request(trace())), std::nullopt);
  const fs::path run = Import(Request(trace()));
  EXPECT_THAT(Found(Request(trace())), Optional(run));
  // Of the same size and with the time it had, as `touch -d` and archives leave it.
  std::string other = std::string(kTrace) + " ";
  other[other.find("mm")] = 'b';
  Write(trace(), other);
  fs::last_write_time(trace(), modified);
  EXPECT_EQ(Found(Request(trace())), std::nullopt);
}

TEST_F(ImportedBeforeTest, AFolderIsWhatItHolds) {
  const fs::path folder = trace().parent_path();
  const fs::path run = Import(Request(folder));
  EXPECT_THAT(Found(Request(folder)), Optional(run));
  Write(folder / "rank1.json", kTrace);
  EXPECT_EQ(Found(Request(folder)), std::nullopt);
  fs::remove(folder / "rank1.json");
  EXPECT_THAT(Found(Request(folder)), Optional(run));
}

TEST_F(ImportedBeforeTest, OtherLimitsReadOtherwise) {
  Import(Request(trace()));
  ImportRequest request = Request(trace());
  request.max_depth = 7;
  EXPECT_EQ(Found(request), std::nullopt);
}

TEST_F(ImportedBeforeTest, WhatIsGoneOrDamagedIsNoRun) {
  const fs::path run = Import(Request(trace()));
  const std::string stamp = SourceStamp(Request(trace()));
  fs::rename(run / "manifest", run / "gone");
  EXPECT_EQ(ImportedBefore(runs(), stamp), std::nullopt);
  fs::rename(run / "gone", run / "manifest");
  EXPECT_THAT(ImportedBefore(runs(), stamp), Optional(run));
  Write(run / "import.json", stamp.substr(1));
  EXPECT_EQ(ImportedBefore(runs(), stamp), std::nullopt);
  fs::remove(trace());
  EXPECT_EQ(SourceStamp(Request(trace())), "");
  EXPECT_EQ(ImportedBefore(runs(), ""), std::nullopt);
}

TEST_F(ImportedBeforeTest, ARunThatLacksAFileOrAPartOfOneIsNone) {
  const fs::path run = Import(Request(trace()));
  fs::path segment;
  for (const auto& file : fs::recursive_directory_iterator(run / "tables" / "slices")) {
    if (file.path().extension() == ".parquet") segment = file.path();
  }
  ASSERT_FALSE(segment.empty());
  fs::copy_file(segment, dir_.path() / "whole");
  fs::resize_file(segment, fs::file_size(segment) - 1);
  EXPECT_EQ(Found(Request(trace())), std::nullopt);
  fs::remove(segment);
  EXPECT_EQ(Found(Request(trace())), std::nullopt);
  fs::copy_file(dir_.path() / "whole", segment);
  EXPECT_THAT(Found(Request(trace())), Optional(run));
  Write(store::NewestManifest(run), "{");
  EXPECT_EQ(Found(Request(trace())), std::nullopt);
}

TEST_F(ImportedBeforeTest, ARunWithoutWhatWasDamagedInItIsNone) {
  const fs::path run = Import(Request(trace()));
  for (const auto& file : fs::recursive_directory_iterator(run / "tables" / "slices")) {
    if (file.path().extension() != ".parquet") continue;
    const auto size = fs::file_size(file.path());
    Write(file.path(), std::string(size, 'x'));
  }
  const auto removed = store::PutDamagedAside(run);
  ASSERT_TRUE(removed.ok() && removed->size() == 1);
  EXPECT_EQ(Found(Request(trace())), std::nullopt);
}

TEST_F(ImportedBeforeTest, TheNewestOfSeveral) {
  const fs::path first = Import(Request(trace()));
  const fs::path second = Import(Request(trace()));
  EXPECT_THAT(second, Ne(first));
  fs::last_write_time(first / "import.json",
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_THAT(Found(Request(trace())), Optional(second));
}

}  // namespace
}  // namespace steptrace::rpc
