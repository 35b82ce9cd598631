// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "testing/test_run.h"

namespace steptrace::rpc {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Keeps all that it is shown, texts copied.
class Capture : public RowVisitor {
 public:
  Status Begin(const std::vector<Column>& columns) override {
    columns_ = columns;
    return {};
  }
  Status Row(std::span<const Cell> cells) override {
    std::vector<std::string> row;
    for (const auto& cell : cells) {
      auto* number = std::get_if<int64_t>(&cell);
      auto* text = std::get_if<std::string_view>(&cell);
      row.push_back(number ? std::to_string(*number) : text ? std::string(*text) : "?");
    }
    rows_.push_back(row);
    if (stop_after_ != 0 && rows_.size() >= stop_after_) return Error{"enough"};
    return {};
  }

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  size_t stop_after_ = 0;
};

class TableTest : public ::testing::Test {
 protected:
  static constexpr int64_t kSteps = 60;

  void SetUp() override { store::MakeTwoRanks(run(), kSteps); }
  fs::path run() const { return dir_.path() / "run"; }
  TableQuery Steps(std::vector<std::string> columns, std::string where = "",
                   std::optional<int64_t> limit = {}) const {
    return {run(), "steps", std::move(columns), std::move(where), limit};
  }
  std::string Complaint(const TableQuery& query) const {
    Capture capture;
    Status status = VisitRows(query, capture);
    EXPECT_FALSE(status.ok());
    EXPECT_TRUE(capture.rows_.empty());
    return status.ok() ? "" : status.error().text();
  }
  std::vector<std::string> FilesInFolder() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(dir_.path())) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  store::TempDir dir_;
};

TEST_F(TableTest, RowsComeWithTheColumnsThatWereAskedForInThatOrder) {
  Capture capture;
  ASSERT_OK(VisitRows(Steps({"step", "rank"}, "step = 7"), capture));
  ASSERT_EQ(capture.columns_.size(), 2u);
  EXPECT_EQ(capture.columns_[0].name, "step");
  EXPECT_EQ(capture.columns_[0].type, ColumnType::kInteger);
  EXPECT_THAT(capture.rows_, ElementsAre(ElementsAre("7", "0"), ElementsAre("7", "1")));
}

TEST_F(TableTest, AllRowsOfAllRanksByTime) {
  Capture capture;
  ASSERT_OK(VisitRows(Steps({"ts_ns"}), capture));
  ASSERT_EQ(capture.rows_.size(), static_cast<size_t>(2 * kSteps));
  for (size_t i = 1; i < capture.rows_.size(); ++i) {
    EXPECT_LE(std::stoll(capture.rows_[i - 1][0]), std::stoll(capture.rows_[i][0]));
  }
}

TEST_F(TableTest, ALimitIsKept) {
  Capture capture;
  ASSERT_OK(VisitRows(Steps({"step"}, "", 3), capture));
  EXPECT_EQ(capture.rows_.size(), 3u);
}

TEST_F(TableTest, NoRowsIsATableWithoutRows) {
  Capture capture;
  ASSERT_OK(VisitRows(Steps({}, "step > 1000000"), capture));
  EXPECT_TRUE(capture.rows_.empty());
  EXPECT_FALSE(capture.columns_.empty());
}

TEST_F(TableTest, AVisitorThatStopsEndsTheScanWithItsOwnError) {
  Capture capture;
  capture.stop_after_ = 2;
  Status status = VisitRows(Steps({}), capture);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().text(), "enough");
  EXPECT_EQ(capture.rows_.size(), 2u);
}

TEST_F(TableTest, WhatIsWrongIsNamed) {
  EXPECT_THAT(Complaint({run(), "stepps", {}, "", {}}),
              HasSubstr("'stepps': no such table; the tables are tracks"));
  EXPECT_THAT(Complaint(Steps({"stepp"})), HasSubstr("steps has no column 'stepp'"));
  EXPECT_THAT(Complaint(Steps({}, "stepp = 1")), HasSubstr("no column 'stepp' (character 1)"));
  EXPECT_THAT(Complaint({dir_.path() / "none", "steps", {}, "", {}}), HasSubstr("none"));
}

TEST_F(TableTest, AFileIsThereWhenItIsComplete) {
  fs::path file = dir_.path() / "steps.csv";
  ASSERT_OK(WriteTable(Steps({"step", "rank"}, "step < 2"), store::ScanFormat::kCsv, file));
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  EXPECT_EQ(lines.size(), 5u);
  EXPECT_THAT(FilesInFolder(), ::testing::UnorderedElementsAre("run", "steps.csv"));
}

TEST_F(TableTest, AFileThatCannotBeMadeLeavesNothing) {
  Status status = WriteTable(Steps({}), store::ScanFormat::kCsv, dir_.path() / "no" / "steps.csv");
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().text(), HasSubstr("No such file or directory"));
  EXPECT_THAT(FilesInFolder(), ElementsAre("run"));
}

TEST_F(TableTest, ADamagedFileIsLeftOutAndNamed) {
  for (const auto& entry : fs::recursive_directory_iterator(run())) {
    if (entry.path().extension() != ".parquet") continue;
    const std::string garbage(fs::file_size(entry.path()), '?');
    std::ofstream(entry.path(), std::ios::binary) << garbage;
  }
  std::vector<store::DamagedSegment> damaged;
  TableQuery query = Steps({});
  query.damaged = &damaged;
  ASSERT_OK(WriteTable(query, store::ScanFormat::kParquet, dir_.path() / "steps.parquet"));
  EXPECT_FALSE(damaged.empty());
  const size_t files = damaged.size();
  Capture capture;
  ASSERT_OK(VisitRows(query, capture));
  EXPECT_EQ(damaged.size(), files) << "each once";
  EXPECT_EQ(damaged[0].table, "steps");
}

}  // namespace
}  // namespace steptrace::rpc
