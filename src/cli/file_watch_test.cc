// SPDX-License-Identifier: Apache-2.0
#include "cli/file_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace steptrace::cli {
namespace {

namespace fs = std::filesystem;

TEST(FileWatch, TellsAChangeOnceAndOnlyWhenItIsDone) {
  const fs::path file = fs::path(testing::TempDir()) / ("watched-" + std::to_string(getpid()));
  const auto write = [&](const char* text) { std::ofstream(file) << text; };
  fs::remove(file);
  FileWatch watch(file);
  EXPECT_FALSE(watch.Look());
  write("a");
  EXPECT_FALSE(watch.Look()) << "may still be written";
  EXPECT_TRUE(watch.Look());
  EXPECT_FALSE(watch.Look());
  write("ab");
  EXPECT_FALSE(watch.Look());
  write("abc");
  EXPECT_FALSE(watch.Look()) << "was still written";
  EXPECT_TRUE(watch.Look());
  fs::remove(file);
  EXPECT_FALSE(watch.Look());
  EXPECT_TRUE(watch.Look()) << "that it is gone is a change, too";
  EXPECT_FALSE(watch.Look());
}

}  // namespace
}  // namespace steptrace::cli
