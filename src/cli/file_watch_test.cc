// SPDX-License-Identifier: Apache-2.0
#include "cli/file_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace steptrace::cli {
namespace {

namespace fs = std::filesystem;

TEST(FileWatch, ChangeIsReportedOnceAfterTheFileIsStable) {
  const fs::path file = fs::path(testing::TempDir()) / ("watched-" + std::to_string(getpid()));
  const auto write = [&](const char* text) { std::ofstream(file) << text; };
  fs::remove(file);
  FileWatch watch(file);
  EXPECT_FALSE(watch.Poll());
  write("a");
  EXPECT_FALSE(watch.Poll()) << "may still be written";
  EXPECT_TRUE(watch.Poll());
  EXPECT_FALSE(watch.Poll());
  write("ab");
  EXPECT_FALSE(watch.Poll());
  write("abc");
  EXPECT_FALSE(watch.Poll()) << "was still written";
  EXPECT_TRUE(watch.Poll());
  fs::remove(file);
  EXPECT_FALSE(watch.Poll());
  EXPECT_TRUE(watch.Poll()) << "that it is gone is a change, too";
  EXPECT_FALSE(watch.Poll());
}

}  // namespace
}  // namespace steptrace::cli
