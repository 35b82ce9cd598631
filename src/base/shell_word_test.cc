// SPDX-License-Identifier: Apache-2.0
#include "base/shell_word.h"

#include <gtest/gtest.h>

namespace steptrace {
namespace {

TEST(ShellWordTest, IsQuotedWhereAShellWouldReadItOtherwise) {
  EXPECT_EQ(ShellWord("out/train-2.1_a"), "out/train-2.1_a");
  EXPECT_EQ(ShellWord("sp ace/k1"), "'sp ace/k1'");
  EXPECT_EQ(ShellWord("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(ShellWord(""), "''");
}

// printf %s of these by bash gives the texts back.
TEST(ShellWordTest, HiddenCharactersAreTheirBytes) {
  EXPECT_EQ(ShellWord("a\u202e\n\\'ö"), "$'a\\xe2\\x80\\xae\\x0a\\\\\\'ö'");
  EXPECT_EQ(ShellWord("\xff"), "$'\\xff'");
}

}  // namespace
}  // namespace steptrace
