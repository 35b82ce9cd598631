// SPDX-License-Identifier: Apache-2.0
#include "store/scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/unique_fd.h"
#include "store/segment.h"
#include "testing/test_run.h"

namespace steptrace::store {
namespace {

using testing::HasSubstr;

// What Scan writes, by way of a file in memory.
std::string ScanToString(RunReader& reader, const std::string& table, const ScanOptions& options) {
  UniqueFd fd(::memfd_create("scan", MFD_CLOEXEC));
  Status status = reader.Scan(table, options, fd.get());
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().text());
  std::string text(static_cast<size_t>(::lseek(fd.get(), 0, SEEK_END)), '\0');
  EXPECT_EQ(::pread(fd.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  return text;
}

ScanOptions Csv(std::vector<std::string> columns) {
  ScanOptions options;
  options.columns = std::move(columns);
  options.format = ScanFormat::kCsv;
  return options;
}

TEST(Scan, MergesSegmentsByTimeAndFilters) {
  TempDir dir;
  MakeTwoRanks(dir.path() / "run", 40);
  RunReader reader = OpenRun(dir.path() / "run");
  ScanOptions options = Csv({"rank", "step", "kind"});
  options.where = {{"step", ScanCompare::kGreaterOrEqual, "7"},
                   {"kind", ScanCompare::kEqual, "train"},
                   {"rank", ScanCompare::kLess, "2"},
                   {"data_ns", ScanCompare::kNotEqual, "-1"}};
  options.limit = 3;
  EXPECT_EQ(ScanToString(reader, "steps", options),
            "rank,step,kind\n0,7,train\n1,7,train\n0,8,train\n");
}

// Each segment is asked by its dictionary before it is read.
TEST(Scan, OnlySegmentsThatHoldTheNameAreRead) {
  TempDir dir;
  const auto run = dir.path() / "run";
  MakeTwoRanks(run, 40);
  RunReader reader = OpenRun(run);
  const std::vector<SegmentInfo> segments = reader.manifest().tables.at("steps").segments;
  ASSERT_FALSE(segments.empty());
  for (const SegmentInfo& segment : segments) {
    EXPECT_TRUE(MayHoldTexts(run, segment, {}));
    const std::vector<ColumnText> train = {{"kind", "train"}};
    EXPECT_TRUE(MayHoldTexts(run, segment, train));
    const std::vector<ColumnText> none = {{"kind", "train"}, {"kind", "rain"}};
    EXPECT_FALSE(MayHoldTexts(run, segment, none)) << "a part of a name is not the name";
    const std::vector<ColumnText> number = {{"step", "train"}};
    EXPECT_TRUE(MayHoldTexts(run, segment, number)) << "no names are in there";
    const std::vector<ColumnText> unknown = {{"no such column", "train"}};
    EXPECT_TRUE(MayHoldTexts(run, segment, unknown));
  }
  ScanOptions options = Csv({"step"});
  options.where = {{"kind", ScanCompare::kEqual, "rain"}};
  EXPECT_EQ(ScanToString(reader, "steps", options), "step\n");
}

TEST(Scan, NullsMatchNoCondition) {
  TempDir dir;
  MakeTwoRanks(dir.path() / "run", 40);  // every second step has a queue depth
  RunReader reader = OpenRun(dir.path() / "run");
  for (ScanCompare compare : {ScanCompare::kGreaterOrEqual, ScanCompare::kNotEqual}) {
    ScanOptions options = Csv({"step"});
    options.where = {{"min_queue_depth", compare, "-5"}};
    std::string odd = ScanToString(reader, "steps", options);
    EXPECT_EQ(std::count(odd.begin(), odd.end(), '\n'), 1 + 40);
  }
}

TEST(Scan, CsvQuotesWhatNeedsIt) {
  TempDir dir;
  auto writer = MakeWriter(dir.path() / "run");
  TrackRow track;
  track.kind = writer.strings().Intern("thread");
  track.name = "a \"b\", c\nd";
  writer.Append(track);
  ASSERT_OK(writer.Flush());
  RunReader reader = OpenRun(dir.path() / "run");
  EXPECT_EQ(ScanToString(reader, "tracks", Csv({"parent", "kind", "name"})),
            "parent,kind,name\n,thread,\"a \"\"b\"\", c\\nd\"\n");
  EXPECT_EQ(ScanToString(reader, "findings", Csv({"text"})), "text\n");
}

TEST(Scan, TextsOfCsvAreInertAndNumbersAreNumbers) {
  TempDir dir;
  auto writer = MakeWriter(dir.path() / "run");
  TrackRow track;
  track.rank = -1;
  track.kind = writer.strings().Intern("+kind");
  track.name = "=1\u202e";
  writer.Append(track);
  ASSERT_OK(writer.Flush());
  RunReader reader = OpenRun(dir.path() / "run");
  EXPECT_EQ(ScanToString(reader, "tracks", Csv({"kind", "rank", "name"})),
            "kind,rank,name\n'+kind,-1,'=1\\u202e\n");
}

TEST(Scan, SaysWhatIsWrongInOneLine) {
  TempDir dir;
  MakeTwoRanks(dir.path() / "run", 2);
  RunReader reader = OpenRun(dir.path() / "run");
  auto error = [&](const std::string& table, const ScanOptions& options) {
    Status status = reader.Scan(table, options, -1);
    std::string message = status.ok() ? "" : status.error().text();
    EXPECT_EQ(message.find('\n'), std::string::npos);
    return message;
  };
  EXPECT_THAT(error("step", {}), HasSubstr("no table 'step'; the tables are tracks, slices"));
  EXPECT_THAT(error("steps", Csv({"nope"})), HasSubstr("no column 'nope'"));
  ScanOptions options;
  options.where = {{"other", ScanCompare::kEqual, "1"}};
  EXPECT_THAT(error("steps", options), HasSubstr("no column 'other'"));
  options.where = {{"step", ScanCompare::kEqual, "one"}};
  EXPECT_THAT(error("steps", options), HasSubstr("'one' is not a int64"));
  EXPECT_THAT(error("steps", {}), HasSubstr("Bad file descriptor"));
}

TEST(Scan, ArrowAndParquetHaveTheirMarks) {
  TempDir dir;
  MakeTwoRanks(dir.path() / "run", 30);
  RunReader reader = OpenRun(dir.path() / "run");
  EXPECT_EQ(ScanToString(reader, "steps", {}).substr(0, 4), "\xff\xff\xff\xff");
  ScanOptions parquet;
  parquet.format = ScanFormat::kParquet;
  for (const char* table : {"steps", "findings"}) {
    std::string file = ScanToString(reader, table, parquet);
    EXPECT_EQ(file.substr(0, 4), "PAR1");
    EXPECT_EQ(file.substr(file.size() - 4), "PAR1");
  }
}

}  // namespace
}  // namespace steptrace::store
