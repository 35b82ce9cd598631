// SPDX-License-Identifier: Apache-2.0
#include "base/span_stack.h"

#include <gtest/gtest.h>

namespace steptrace {
namespace {

TEST(SpanStack, TheInnermostEndsFirst) {
  SpanStack<int, 4> stack;
  EXPECT_TRUE(stack.empty());
  ASSERT_NE(stack.Push(1), nullptr);
  *stack.Push(2) = 20;
  EXPECT_EQ(stack.size(), 2u);
  EXPECT_EQ(stack.top(), 20);
  stack.Pop();
  EXPECT_EQ(stack.top(), 1);
  stack.Pop();
  EXPECT_TRUE(stack.empty());
}

TEST(SpanStack, WhatIsTooDeepIsCountedWithItsEnd) {
  SpanStack<int, 2> stack;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(stack.Push(i) != nullptr, i < 2);
  EXPECT_TRUE(stack.is_beyond_depth());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(stack.EndsBeyondDepth());
  EXPECT_FALSE(stack.EndsBeyondDepth());
  EXPECT_FALSE(stack.is_beyond_depth());
  EXPECT_EQ(stack.top(), 1) << "what is outside is paired as before";
}

TEST(SpanStack, MissingEndsAreForgotten) {
  SpanStack<int, 1> stack;
  stack.Push(1);
  stack.Push(2);
  stack.ForgetBeyondDepth();
  EXPECT_FALSE(stack.EndsBeyondDepth());
  EXPECT_EQ(stack.size(), 1u);
}

}  // namespace
}  // namespace steptrace
