// SPDX-License-Identifier: Apache-2.0
#include "analyze/code/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace steptrace::analyze {
namespace {

TEST(GlobTest, StarsAreAnyText) {
  EXPECT_TRUE(FitsGlob("read_row", "read_*"));
  EXPECT_TRUE(FitsGlob("read", "*"));
  EXPECT_TRUE(FitsGlob("", "*"));
  EXPECT_TRUE(FitsGlob("abcabd", "*abd"));
  EXPECT_TRUE(FitsGlob("a.b.c", "a*c"));
  EXPECT_FALSE(FitsGlob("read", "read_*"));
  EXPECT_FALSE(FitsGlob("aread", "read"));
  EXPECT_FALSE(FitsGlob("", "a"));
  // Takes no time that grows with the stars.
  EXPECT_FALSE(FitsGlob(std::string(2000, 'a'), "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b"));
}

}  // namespace
}  // namespace steptrace::analyze
