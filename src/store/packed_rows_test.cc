// SPDX-License-Identifier: Apache-2.0
#include "store/packed_rows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <tuple>
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

// Each column takes a value of its own of a stretch that differs from column to column, or none.
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
