// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/timeline_links.h"

#include <gtest/gtest.h>

#include <string>

namespace steptrace::rpc {
namespace {

constexpr int64_t kRows = 20'000;

store::SliceRow Row(int64_t ts_ns) {
  store::SliceRow row;
  row.ts_ns = ts_ns;
  row.track = static_cast<int32_t>(ts_ns);
  row.rank = 0;
  return row;
}

// As many begins as ends of one flow: kRows * kRows arrows, were there no limit.
LinkedRows OneFlow() {
  LinkedRows rows;
  for (int64_t i = 0; i < kRows; ++i) {
    store::SliceRow from = Row(2 * i);
    from.flow_out = 7;
    rows.Add(from);
    store::SliceRow to = Row(2 * i + 1);
    to.flow_in = 7;
    rows.Add(to);
  }
  return rows;
}

// Joins them, counting what is asked.
struct Counted {
  explicit Counted(LinkedRows rows, size_t limit, bool drawn) {
    LinkedRows::LinkRequest ask;
    ask.limit = limit;
    ask.wanted = [this](const auto&, const auto&) { return ++pairs > 0; };
    ask.end_of = [this, drawn](const store::SliceRow& row, bool) -> std::optional<LinkEnd> {
      ++ends;
      if (!drawn) return std::nullopt;
      return LinkEnd{row.track, 0, row.ts_ns};
    };
    ask.take = [this](const LinkEnd&, const LinkEnd&, LinkKind kind) { kinds += *NameOf(kind); };
    rows.Join(ask);
  }

  int64_t pairs = 0;
  int64_t ends = 0;
  std::string kinds;
};

TEST(LinkedRows, NoPairIsLookedAtBeyondTheLimit) {
  const Counted counted(OneFlow(), 100, true);
  EXPECT_EQ(counted.kinds, std::string(100, 'f'));
  EXPECT_EQ(counted.pairs, 100);
  EXPECT_LE(counted.ends, 2 * kRows);
}

TEST(LinkedRows, WhatIsNotDrawnIsSoughtOnce) {
  const Counted counted(OneFlow(), 100, false);
  EXPECT_EQ(counted.kinds, "");
  EXPECT_EQ(counted.pairs, 0);
  EXPECT_LE(counted.ends, 2 * kRows);
}

TEST(LinkedRows, TheLimitIsOfAllKindsTogether) {
  LinkedRows rows;
  for (int64_t i = 0; i < 3; ++i) {
    store::SliceRow row = Row(i);
    row.correlation = 1;
    if (i == 0) row.flow_out = 2;
    if (i > 0) row.flow_in = 2;
    row.group = 3;
    row.sequence = 4;
    row.rank = 0;
    rows.Add(row);
    row = Row(10 + i);  // the same collective elsewhere
    row.group = 3;
    row.sequence = 4;
    row.rank = static_cast<int32_t>(1 + i);
    rows.Add(row);
  }
  EXPECT_EQ(Counted(rows, 100, true).kinds, "llffccc");
  EXPECT_EQ(Counted(rows, 3, true).kinds, "llf");
  EXPECT_EQ(Counted(rows, 2, true).kinds, "ll");
  const Counted none(rows, 0, true);
  EXPECT_EQ(none.kinds, "");
  EXPECT_EQ(none.pairs, 0);
  EXPECT_EQ(none.ends, 0);
}

}  // namespace
}  // namespace steptrace::rpc
