// SPDX-License-Identifier: Apache-2.0
#include "base/fnv.h"

#include <gtest/gtest.h>

namespace steptrace {
namespace {

// From the tables of its authors.
TEST(Fnv1a, IsFnv1a) {
  EXPECT_EQ(Fnv1a(""), 0xcbf29ce484222325u);
  EXPECT_EQ(Fnv1a("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(Fnv1a("foobar"), 0x85944171f73967e8u);
}

TEST(Fnv1a, BytesAboveAsciiCountAsTheyStand) {
  // By the definition, a byte at a time.
  EXPECT_EQ(Fnv1a("\xff"), (0xcbf29ce484222325u ^ 0xffu) * 0x100000001b3u);
}

TEST(Fnv1a, OfPiecesIsThatOfTheWhole) {
  EXPECT_EQ(Fnv1a("bar", Fnv1a("foo")), Fnv1a("foobar"));
  EXPECT_EQ(Fnv1a("", Fnv1a("foo")), Fnv1a("foo"));
}

}  // namespace
}  // namespace steptrace
