// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/sorted_rows.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "import/core/rows/spilled_list.h"

namespace steptrace::import {
namespace {

namespace fs = std::filesystem;

struct Row {
  int64_t ts_ns = 0;
  int64_t number = 0;  // in the order in which they came
};

class SortedRowsTest : public testing::Test {
 protected:
  SortedRowsTest() {
    std::string pattern = (fs::temp_directory_path() / "sorted_rows_test.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~SortedRowsTest() override { fs::remove_all(folder_); }

  static std::vector<std::pair<int64_t, int64_t>> Read(SortedRows<Row>& rows) {
    std::vector<std::pair<int64_t, int64_t>> found;
    SortedRows<Row>::Reader reader(rows);
    for (; reader.Front() != nullptr; reader.Pop()) {
      found.emplace_back(reader.Front()->ts_ns, reader.Front()->number);
    }
    EXPECT_TRUE(reader.status().ok());
    return found;
  }

  fs::path folder_;
};

// Many alike, many negative; in groups of any size, of which some are in order and some apart.
TEST_F(SortedRowsTest, GroupsOnTheFileAreReadAsOne) {
  std::mt19937_64 random(7);
  for (const int64_t spread : {3, 100, 1'000'000}) {
    for (const int64_t spills : {0, 1, 5, 300}) {
      SpillFile file(folder_ / std::to_string(spread * 1000 + spills));
      SortedRows<Row> rows;
      std::vector<std::pair<int64_t, int64_t>> wanted;
      constexpr int64_t kRows = 60'000;
      for (int64_t i = 0; i < kRows; ++i) {
        const int64_t base = spread > 1000 ? i * 20 : 0;
        const auto away = static_cast<int64_t>(random() % static_cast<uint64_t>(spread));
        const Row row{base + away - spread / 2, i};
        rows.Append(row);
        wanted.emplace_back(row.ts_ns, i);
        if (spills > 0 && i % (kRows / spills) == 77) {
          ASSERT_TRUE(rows.Spill(file).ok());
          ASSERT_TRUE(rows.in_memory().empty());
        }
      }
      EXPECT_EQ(rows.is_whole(), spills == 0);
      EXPECT_EQ(rows.size(), wanted.size());
      std::sort(wanted.begin(), wanted.end());
      EXPECT_TRUE(Read(rows) == wanted) << spread << " " << spills;
      EXPECT_EQ(rows.size(), 0u);
    }
  }
}

// Reads of a group are shorter the more groups there are.
TEST_F(SortedRowsTest, ThousandsOfGroupsAreReadInPieces) {
  SpillFile file(folder_ / "rows");
  SortedRows<Row> rows;
  constexpr int64_t kGroups = 2000, kRows = 600;
  for (int64_t i = 0; i < kGroups * kRows; ++i) {
    rows.Append({i % kRows, i});
    if (i % kRows == kRows - 1) {
      ASSERT_TRUE(rows.Spill(file).ok());
    }
  }
  const auto found = Read(rows);
  ASSERT_EQ(found.size(), static_cast<size_t>(kGroups * kRows));
  for (int64_t i = 0; i < kGroups * kRows; ++i) {
    const auto& [ts_ns, number] = found[static_cast<size_t>(i)];
    ASSERT_EQ(ts_ns, i / kGroups);
    ASSERT_EQ(number, i % kGroups * kRows + i / kGroups);
  }
}

TEST_F(SortedRowsTest, NothingIsSpilledWithoutRows) {
  SpillFile file(folder_ / "rows");
  SortedRows<Row> rows;
  ASSERT_TRUE(rows.Spill(file).ok());
  EXPECT_TRUE(rows.is_whole());
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_TRUE(Read(rows).empty());
}

TEST_F(SortedRowsTest, AListComesBackInItsOrder) {
  SpillFile file(folder_ / "list");
  for (const size_t in_memory : {1u, 7u, 1000u}) {
    SpilledList<int64_t> list;
    for (int64_t i = 0; i < 500; ++i) ASSERT_TRUE(list.Append(i, in_memory, file).ok());
    std::vector<int64_t> found;
    const auto keep = [&](int64_t item) { found.push_back(item); };
    ASSERT_TRUE(list.Take(file, keep).ok());
    ASSERT_EQ(found.size(), 500u);
    for (int64_t i = 0; i < 500; ++i) ASSERT_EQ(found[static_cast<size_t>(i)], i);
    ASSERT_TRUE(list.Take(file, keep).ok());
    EXPECT_EQ(found.size(), 500u);
  }
}

}  // namespace
}  // namespace steptrace::import
