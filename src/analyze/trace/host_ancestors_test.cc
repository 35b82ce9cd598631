// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/host_ancestors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;

TraceEvent Event(EventKind kind, int32_t parent, int64_t ts_ns = 0, int64_t dur_ns = 0) {
  TraceEvent event;
  event.kind = kind;
  event.parent = parent;
  event.ts_ns = ts_ns;
  event.dur_ns = dur_ns;
  return event;
}

bool IsOperator(const TraceEvent& event) {
  return event.kind == EventKind::kOperator;
}

TEST(AroundTest, WhatLiesInAnOperatorIsFoundAtAnyDepth) {
  const std::vector<TraceEvent> host = {Event(EventKind::kPython, kNone),
                                        Event(EventKind::kOperator, 0),
                                        Event(EventKind::kPython, 1), Event(EventKind::kRuntime, 2),
                                        Event(EventKind::kRuntime, kNone)};
  EXPECT_THAT(HasAncestor(host, IsOperator), ElementsAre(false, false, true, true, false));
  const auto is_operator = [&host](size_t i) { return IsOperator(host[i]); };
  EXPECT_THAT(NearestSuch(host, is_operator), ElementsAre(kNone, 1, 1, 1, kNone));
}

TEST(AroundTest, EndedEventsAreVisitedOnce) {
  constexpr int32_t kDepth = 100;
  std::vector<TraceEvent> host;
  for (int32_t i = 0; i < kDepth; ++i) {
    host.push_back(Event(EventKind::kOperator, i - 1, i, 1000 - 2 * i));
  }
  const auto operators = NearestSuch(host, [&host](size_t i) { return IsOperator(host[i]); });
  NearestAncestor innermost(host, operators);
  int asked = 0;
  const auto at = [&](int64_t ns) {
    return innermost.At(kDepth - 1, ns, [&](const TraceEvent& event) {
      ++asked;
      return event.end_ns() > ns;
    });
  };
  EXPECT_EQ(at(900), kDepth - 1);
  EXPECT_EQ(at(995), 4);
  for (int i = 0; i < kDepth; ++i) EXPECT_EQ(at(1000), kNone);
  EXPECT_LT(asked, 2 * kDepth);
  EXPECT_EQ(at(998), 1);  // back in time, too
}

}  // namespace
}  // namespace steptrace::analyze
