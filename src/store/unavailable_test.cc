// SPDX-License-Identifier: Apache-2.0
#include "store/unavailable.h"

#include <gtest/gtest.h>

#include <string>

namespace steptrace::store {
namespace {

TEST(UnavailableTest, ReadsWhatItWrites) {
  const std::string detail = WriteUnavailable({"cpu counters", "not allowed: see doctor"});
  EXPECT_EQ(detail, "cpu counters: not allowed: see doctor");
  EXPECT_EQ(ReadUnavailable(detail).source, "cpu counters");
  EXPECT_EQ(ReadUnavailable(detail).reason, "not allowed: see doctor");
}

TEST(UnavailableTest, ASourceHasNoMarkInIt) {
  const std::string detail = WriteUnavailable({"gpu: 1", "gone"});
  const Unavailable read = ReadUnavailable(detail);
  EXPECT_EQ(read.reason, "gone");
  EXPECT_EQ(read.source, "gpu 1");
}

// Of a run that something else wrote.
TEST(UnavailableTest, WhatHasNoSourceIsAReason) {
  EXPECT_EQ(ReadUnavailable("nobody knows").source, "");
  EXPECT_EQ(ReadUnavailable("nobody knows").reason, "nobody knows");
}

}  // namespace
}  // namespace steptrace::store
