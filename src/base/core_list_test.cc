// SPDX-License-Identifier: Apache-2.0
#include "base/core_list.h"

#include <gtest/gtest.h>

namespace steptrace {
namespace {

TEST(CoreList, IsAsTheKernelWritesIt) {
  EXPECT_EQ(ReadCoreList("0"), (std::set<int32_t>{0}));
  EXPECT_EQ(ReadCoreList("0-2,8"), (std::set<int32_t>{0, 1, 2, 8}));
  for (const char* text : {"", "0-", "-1", "2-1", "0,,1", "0,", "1,0", "0-99999999", "0 1", "a"}) {
    EXPECT_TRUE(ReadCoreList(text).empty()) << text;
  }
}

}  // namespace
}  // namespace steptrace
