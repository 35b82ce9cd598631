// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/count_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analyze/trace/trace_ref.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

using model::Compare;

using model::Conditions;
using model::Finding;
using model::Rows;

class CountRowsTest : public ::testing::Test {
 protected:
  store::StepRow Step(int64_t ts_ns, const char* kind, int32_t rank = 0) {
    store::StepRow row;
    row.ts_ns = ts_ns;
    row.dur_ns = 10;
    row.rank = rank;
    row.kind = strings_.Intern(kind);
    return row;
  }

  Rows Counted(Rows rows) {
    Finding found;
    found.rows = std::move(rows);
    Finding* all[] = {&found};
    CountRows({.which = which_,
               .steps = store::PackedSteps(steps_),
               .strings = strings_,
               .counters = counters_,
               .facts = facts_,
               .losses = losses_,
               .profile = profile_},
              all);
    return found.rows;
  }

  store::StringTable strings_;
  TableRows which_;
  std::vector<store::StepRow> steps_;
  std::vector<CounterSeries> counters_;
  std::vector<store::RunMetadataRow> facts_;
  std::vector<store::DataLossRow> losses_;
  TraceRef profile_;
};

TEST_F(CountRowsTest, StepsByTextNumberAndNull) {
  steps_ = {Step(0, "warm-up"), Step(10, "train"), Step(20, "train", 1), Step(30, "train")};
  steps_[3].dispatch_ns = 0;
  EXPECT_EQ(Counted({"steps", {{"kind", Compare::kEqual, "train"}}}).count, 3);
  EXPECT_EQ(
      Counted({"steps", {{"kind", Compare::kEqual, "train"}, {"rank", Compare::kEqual, 1}}}).count,
      1);
  EXPECT_EQ(Counted({"steps", {{"ts_ns", Compare::kAtMost, 10}}}).count, 2);
  EXPECT_EQ(Counted({"steps", {{"ts_ns", Compare::kMore, 10}}}).count, 2);
  EXPECT_EQ(Counted({"steps", {{"dispatch_ns", Compare::kAtLeast, 0}}}).count, 1)
      << "null is not 0";
  EXPECT_EQ(Counted({"steps", {}}).count, 4);
  EXPECT_EQ(Counted({"steps", {{"kind", Compare::kEqual, "eval"}}}).count, 0);
}

// Blocks that meet a condition as a whole, in part and not at all.
TEST_F(CountRowsTest, OfManyStepsAsManyAsMeetIt) {
  for (int i = 0; i < 1000; ++i) {
    steps_.push_back(Step(10 * i, i < 300 ? "warm-up" : "train", i < 640 ? 0 : i % 3));
    steps_.back().dur_ns = i % 7;
    if (i % 5 == 0) steps_.back().dispatch_ns = i;
  }
  const auto expect = [&](const Conditions& where, const auto& meets) {
    EXPECT_EQ(Counted({"steps", where}).count, std::count_if(steps_.begin(), steps_.end(), meets))
        << WhereText(where);
  };
  using Row = store::StepRow;
  for (const int64_t ns : {-1, 0, 5, 1280, 3333, 9990, 20'000}) {
    expect({{"ts_ns", Compare::kLess, ns}}, [=](const Row& row) { return row.ts_ns < ns; });
    expect({{"ts_ns", Compare::kAtMost, ns}}, [=](const Row& row) { return row.ts_ns <= ns; });
    expect({{"ts_ns", Compare::kMore, ns}}, [=](const Row& row) { return row.ts_ns > ns; });
    expect({{"ts_ns", Compare::kAtLeast, ns}}, [=](const Row& row) { return row.ts_ns >= ns; });
    expect({{"ts_ns", Compare::kEqual, ns}}, [=](const Row& row) { return row.ts_ns == ns; });
  }
  const store::StringId train = strings_.Intern("train");
  expect({{"kind", Compare::kEqual, "train"}, {"rank", Compare::kEqual, 1}},
         [=](const Row& row) { return row.kind == train && row.rank == 1; });
  expect({{"rank", Compare::kEqual, 0}, {"dur_ns", Compare::kMore, 3}},
         [](const Row& row) { return row.rank == 0 && row.dur_ns > 3; });
  expect({{"ts_ns", Compare::kLess, 5000}, {"dispatch_ns", Compare::kAtLeast, 100}},
         [](const Row& row) { return row.ts_ns < 5000 && row.dispatch_ns.value_or(0) >= 100; });
}

// Those that begin in it: what the table has, and not only what a view counts.
TEST_F(CountRowsTest, PredicateNamesTheTimeRange) {
  steps_ = {Step(10, "train"), Step(20, "train")};
  const std::vector<store::StepRow> cut = {Step(35, "train")};
  which_ = {.from_ns = 10, .to_ns = 40, .cut_steps = cut};
  const Rows rows = Counted({"steps", {{"kind", Compare::kEqual, "train"}}});
  EXPECT_EQ(WhereText(rows.where), "kind = 'train' and ts_ns >= 10 and ts_ns < 40");
  EXPECT_EQ(rows.count, 3);
}

// Of what was not read, or not told apart, no row is named rather than too few.
TEST_F(CountRowsTest, UnknownCountsAreLeftOut) {
  steps_ = {Step(10, "train")};
  counters_.emplace_back().times_ns = {1, 2, 3};
  counters_.back().track = 7;
  EXPECT_TRUE(Counted({"counters", {{"value", Compare::kMore, 1}}}).table.empty());
  which_.has_tracks = false;
  EXPECT_TRUE(Counted({"counters", {{"track", Compare::kEqual, 7}}}).table.empty());
  EXPECT_EQ(Counted({"steps", {}}).count, 1);
  which_.has_steps = false;
  EXPECT_TRUE(Counted({"steps", {}}).table.empty());
}

TEST_F(CountRowsTest, CountersByTrackAndTime) {
  CounterSeries& one = counters_.emplace_back();
  one.track = 1;
  one.times_ns = {0, 10, 20};
  one.values = {1, 2, 3};
  CounterSeries& other = counters_.emplace_back(one);
  other.track = 2;
  EXPECT_EQ(Counted({"counters", model::Between(10, 20)}).count, 4);
  Conditions of_track = model::Between(10, 20);
  of_track.push_back({"track", Compare::kEqual, 2});
  EXPECT_EQ(Counted({"counters", of_track}).count, 2);
}

TEST_F(CountRowsTest, MetadataByKind) {
  facts_.resize(3);
  facts_[0].kind = facts_[2].kind = strings_.Intern("loader");
  EXPECT_EQ(Counted({"run_metadata", {{"kind", Compare::kEqual, "loader"}}}).count, 2);
}

TEST_F(CountRowsTest, SlicesOfACategoryThatAProfileHolds) {
  const Rows kernels = {"slices", {{"category", Compare::kEqual, "kernel"}}};
  EXPECT_TRUE(Counted(kernels).table.empty()) << "its slices were not read";
  Trace profile;
  profile.strings = &strings_;
  profile.ranks.resize(2);
  for (RankTrace& rank : profile.ranks) {
    rank.rows_by_category = {{strings_.Intern("kernel"), 2}, {strings_.Intern("cpu_op"), 5}};
  }
  profile_ = profile;
  EXPECT_EQ(Counted(kernels).count, 4);
  Rows long_ones = kernels;
  long_ones.where.push_back({"dur_ns", Compare::kMore, 5});
  EXPECT_TRUE(Counted(long_ones).table.empty()) << "only categories were counted";
}

TEST_F(CountRowsTest, SamplesAreThoseThatWereSummed) {
  EXPECT_TRUE(Counted({"samples", {}}).table.empty());
  which_.samples = Rows{"samples", model::Within(5, 9), 7};
  const Rows rows = Counted({"samples", {}});
  EXPECT_EQ(rows.count, 7);
  EXPECT_EQ(WhereText(rows.where), "ts_ns >= 5 and ts_ns < 9");
}

TEST_F(CountRowsTest, UncountableRowsAreNotNamed) {
  steps_ = {Step(0, "train")};
  EXPECT_TRUE(Counted({"tracks", {}}).table.empty());
  EXPECT_TRUE(Counted({"steps", {{"no_such_column", Compare::kEqual, 1}}}).table.empty());
  which_.whole = false;
  EXPECT_TRUE(Counted({"steps", {{"kind", Compare::kEqual, "train"}}}).table.empty());
}

}  // namespace
}  // namespace steptrace::analyze
