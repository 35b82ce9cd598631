// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/unrecognised.h"

#include <gtest/gtest.h>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

Unrecognised Found(std::string_view text) {
  store::StringTable strings;
  return FindUnrecognised(DrawTrace(text, strings));
}

TEST(UnrecognisedTest, EventsAreCountedByKindAndTheirTimeWithinTheSteps) {
  const Unrecognised found = Found(R"(
    t1 step ProfilerStep#1 0 100
    t1 op aten::mm 0 50
    t2 cat:npu_new work 40 90
    t2 cat:npu_new work 80 140
    t3 cat:other x 10 11
    t3 cat:instant moment 10 10
  )");
  ASSERT_EQ(found.kinds.size(), 2u);
  EXPECT_EQ(found.kinds[0].category, "npu_new");
  EXPECT_EQ(found.kinds[0].events, 2);
  EXPECT_EQ(found.events, 3);
  EXPECT_EQ(found.held_ns, 61);
  EXPECT_EQ(found.steps_ns, 100);
}

TEST(UnrecognisedTest, WhatAKnownDeviceComputesMeanwhileIsExplained) {
  EXPECT_EQ(
      Found("t1 step ProfilerStep#1 0 100\nt2 cat:new work 0 100\ns7 kernel gemm 10 90").held_ns,
      20);
}

TEST(UnrecognisedTest, ANameMayTellWhatACategoryDoesNot) {
  const Unrecognised found = Found("t1 op aten::mm 0 100\nt2 cat:new save_checkpoint 0 100");
  EXPECT_EQ(found.events, 1);
  EXPECT_EQ(found.held_ns, 0);
  EXPECT_EQ(Found("t1 op aten::mm 0 100").events, 0);
}

TEST(UnrecognisedTest, KindsAreBounded) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "t1 cat:kind" + std::to_string(i) + " x 0 1\n";
  const Unrecognised found = Found(text);
  EXPECT_EQ(found.kinds.size(), kMostUnrecognisedKinds);
  EXPECT_EQ(found.more_kinds, 4);
  EXPECT_EQ(found.events, 20);
}

}  // namespace
}  // namespace steptrace::analyze
