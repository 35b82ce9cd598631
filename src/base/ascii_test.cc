// SPDX-License-Identifier: Apache-2.0
#include "base/ascii.h"

#include <gtest/gtest.h>

#include <cctype>

namespace steptrace {
namespace {

TEST(AsciiTest, AsTheCLocaleHasIt) {
  for (int i = 0; i < 256; ++i) {
    const char c = static_cast<char>(i);
    EXPECT_EQ(IsLower(c), i < 128 && std::islower(i) != 0) << i;
    EXPECT_EQ(IsUpper(c), i < 128 && std::isupper(i) != 0) << i;
    EXPECT_EQ(IsDigit(c), i < 128 && std::isdigit(i) != 0) << i;
    EXPECT_EQ(IsAlnum(c), i < 128 && std::isalnum(i) != 0) << i;
    EXPECT_EQ(ToLower(c), i < 128 ? static_cast<char>(std::tolower(i)) : c) << i;
  }
}

}  // namespace
}  // namespace steptrace
