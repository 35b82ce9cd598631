// SPDX-License-Identifier: Apache-2.0
#include "store/packed_rows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "store/all_tables.h"

namespace steptrace::store {
namespace {

void ExpectSame(const StepRow& got, const StepRow& want) {
  ForEachField<StepRow>(
      [&](const auto& field) { EXPECT_EQ(got.*field.member, want.*field.member) << field.name; });
}

void ExpectKept(const std::vector<StepRow>& rows) {
  const PackedSteps packed(rows);
  ASSERT_EQ(packed.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) ExpectSame(packed[i], rows[i]);
}

// Each column takes a value out of a range that differs from column to column, or none.
std::vector<StepRow> AnyRows(size_t count) {
  std::mt19937_64 random(7);
  std::vector<StepRow> rows(count);
  for (StepRow& row : rows) {
    int bits = 0;
    ForEachField<StepRow>([&]<class Member>(const Field<StepRow, Member>& field) {
      const uint64_t number = random() >> (bits++ * 2 % 64);
      if constexpr (requires { typename Member::value_type; }) {
        if (number % 3 != 0) row.*field.member = static_cast<typename Member::value_type>(number);
      } else {
        row.*field.member = static_cast<Member>(number);
      }
    });
  }
  return rows;
}

TEST(PackedRows, HoldNothing) {
  EXPECT_TRUE(PackedSteps().empty());
  EXPECT_TRUE(PackedSteps(std::vector<StepRow>()).empty());
  for (const StepRow& row : PackedSteps()) ADD_FAILURE() << row.step;
}

TEST(PackedRows, KeepEveryNumber) {
  for (size_t count : {1, 2, 127, 128, 129, 1000}) ExpectKept(AnyRows(count));
}

TEST(PackedRows, KeepTheLeastAndTheGreatestSideBySide) {
  std::vector<StepRow> rows(3);
  rows[0].ts_ns = std::numeric_limits<int64_t>::min();
  rows[1].ts_ns = std::numeric_limits<int64_t>::max();
  rows[0].batches = std::numeric_limits<int32_t>::min();
  rows[1].batches = std::numeric_limits<int32_t>::max();
  rows[0].operators_ns = std::numeric_limits<int64_t>::min();
  rows[1].operators_ns = std::numeric_limits<int64_t>::max();
  ExpectKept(rows);
}

TEST(PackedRows, AreGoneOverInTheirOrder) {
  std::vector<StepRow> rows = AnyRows(300);
  for (size_t i = 0; i < rows.size(); ++i) rows[i].step = static_cast<int64_t>(i);
  const PackedSteps packed(rows);
  int64_t next = 0;
  for (const StepRow& row : packed) EXPECT_EQ(row.step, next++);
  EXPECT_EQ(next, 300);
}

TEST(PackedRows, ArePackedAlikeOneByOneAndManyAtATime) {
  const std::vector<StepRow> rows = AnyRows(900);
  RowPacker<StepRow> packer;
  size_t added = 0;
  for (const size_t many : {1u, 300u, 0u, 83u, 128u, 256u, 100u, 32u}) {
    packer.Add(std::span(rows).subspan(added, many));
    added += many;
  }
  ASSERT_EQ(added, rows.size());
  const PackedSteps packed = packer.Take();
  ASSERT_EQ(packed.size(), rows.size());
  size_t at = 0;
  for (const StepRow& row : packed) ExpectSame(row, rows[at++]);
  EXPECT_EQ(at, rows.size());
  EXPECT_TRUE(packer.Take().empty());
}

template <class Member>
constexpr size_t FieldOf(Member StepRow::*member) {
  size_t at = 0, found = 0;
  const auto compare = [&](const auto& field) {
    if constexpr (std::is_same_v<decltype(field.member), Member StepRow::*>) {
      if (field.member == member) found = at;
    }
    ++at;
  };
  std::apply([&](const auto&... field) { (compare(field), ...); }, TableOf<StepRow>::kFields);
  return found;
}

TEST(PackedRows, ABlockKnowsWhatItsColumnsLieWithin) {
  std::vector<StepRow> rows(128);
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].rank = 7;
    rows[i].dur_ns = 1000 + static_cast<int64_t>(i);
  }
  rows[3].ts_ns = std::numeric_limits<int64_t>::min();
  rows[4].step = std::numeric_limits<int64_t>::max();
  rows[5].data_ns = std::numeric_limits<int64_t>::max();
  rows[6].data_ns = std::numeric_limits<int64_t>::max() - 1;
  const PackedSteps packed(rows);
  ASSERT_EQ(packed.blocks().size(), 1u);
  const PackedBlock<StepRow>& block = packed.blocks()[0];
  const auto within = [&]<size_t kField>(std::integral_constant<size_t, kField>, auto member) {
    const ColumnBounds bounds = block.BoundsOf<kField>();
    std::vector<int64_t> column(rows.size());
    block.ReadColumn<kField>(column);
    for (size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(column[i], rows[i].*member);
      EXPECT_LE(bounds.least, column[i]);
      EXPECT_GE(bounds.most, column[i]);
    }
    return bounds;
  };
  const ColumnBounds rank =
      within(std::integral_constant<size_t, FieldOf(&StepRow::rank)>(), &StepRow::rank);
  EXPECT_EQ(rank.least, 7);
  EXPECT_EQ(rank.most, 7);
  const ColumnBounds dur =
      within(std::integral_constant<size_t, FieldOf(&StepRow::dur_ns)>(), &StepRow::dur_ns);
  EXPECT_EQ(dur.least, 1000);
  EXPECT_LT(dur.most, 1256);
  within(std::integral_constant<size_t, FieldOf(&StepRow::ts_ns)>(), &StepRow::ts_ns);
  within(std::integral_constant<size_t, FieldOf(&StepRow::step)>(), &StepRow::step);
  within(std::integral_constant<size_t, FieldOf(&StepRow::data_ns)>(), &StepRow::data_ns);
}

TEST(PackedRows, CopiesOutliveTheFirst) {
  PackedSteps copy;
  {
    const PackedSteps packed(AnyRows(200));
    copy = packed;
  }
  ExpectSame(copy[150], AnyRows(200)[150]);
}

TEST(PackedRows, AreSortedByTimeAndOfOneMomentStayInOrder) {
  std::vector<StepRow> rows(1000);
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].ts_ns = static_cast<int64_t>(i * 7 % 10);
    rows[i].step = static_cast<int64_t>(i);
  }
  const PackedSteps sorted = SortedByTime(PackedSteps(rows));
  ASSERT_EQ(sorted.size(), rows.size());
  for (size_t i = 1; i < sorted.size(); ++i) {
    EXPECT_LT(std::tuple(sorted[i - 1].ts_ns, sorted[i - 1].step),
              std::tuple(sorted[i].ts_ns, sorted[i].step));
  }
}

}  // namespace
}  // namespace steptrace::store
