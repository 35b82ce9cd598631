// SPDX-License-Identifier: Apache-2.0
#include "store/salvage.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <gmock/gmock.h>

#include <cstring>
#include <fstream>

#include "store/recovery.h"
#include "store/row_columns.h"
#include "store/segment.h"
#include "testing/soak.h"
#include "testing/test_run.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kSalvageRows = 40;

std::string FileBytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A run with a segment of each of two tables: one with texts of a row's own, one without.
class SalvageTest : public ::testing::Test {
 protected:
  SalvageTest() {
    RunWriter writer = MakeWriter(run());
    for (int i = 0; i < kSalvageRows; ++i) {
      writer.Append(SampleSlice(writer.strings(), i));
      MemoryRow memory;
      memory.ts_ns = i;
      memory.bytes = i % 7;
      if (i % 3 > 0) memory.total_allocated_bytes = i;
      writer.Append(memory);
    }
    EXPECT_TRUE(writer.Close(CompletedManifest()).ok());
  }
  fs::path run() const { return dir_.path() / "run"; }
  SegmentInfo Segment(const char* table) const {
    return OpenRun(run()).manifest().tables.at(table).segments.front();
  }

  TempDir dir_;
};

// Each value is as it was, or lost by name.
template <class Row>
void ExpectAsWritten(const Salvaged<Row>& kept, const StringTable& strings,
                     const std::vector<Row>& written, const StringTable& written_strings) {
  if (kept.rows.empty()) return;
  ASSERT_EQ(kept.rows.size(), written.size());
  for (size_t i = 0; i < written.size(); ++i) {
    ForEachField<Row>([&]<class Member>(const Field<Row, Member>& field) {
      const bool lost = std::find(kept.lost_columns.begin(), kept.lost_columns.end(), field.name) !=
                        kept.lost_columns.end();
      if (IsPathColumn(field.name)) return;
      const Member& value = kept.rows[i].*field.member;
      const Member& before = written[i].*field.member;
      if constexpr (std::is_same_v<Member, StringId>) {
        const char* text = field.unit == Unit::kJson ? kLostJson : kLostText;
        EXPECT_EQ(strings.Text(value), lost ? text : written_strings.Text(before)) << field.name;
      } else if constexpr (std::is_same_v<Member, std::string>) {
        const char* text = field.unit == Unit::kJson ? kLostJson : kLostText;
        EXPECT_EQ(value, lost ? text : before) << field.name;
      } else {
        EXPECT_EQ(value, lost ? Member() : before) << field.name;
      }
    });
  }
}

// Flips bits all over a segment's file, one at a time: what is read is what was written, or the
// reader refuses it, and of what it refuses the rest is what was written.
template <class Row>
void FlipBits(const fs::path& run, const SegmentInfo& segment, int* refused, int* kept_rows) {
  RunReader reader = OpenRun(run);
  const auto written = *reader.Read<Row>();
  const std::string content = FileBytes(run / segment.file);
  std::fstream file(run / segment.file, std::ios::in | std::ios::out | std::ios::binary);
  const auto put = [&](size_t at, char byte) {
    file.seekp(static_cast<std::streamoff>(at)).put(byte).flush();
  };
  for (size_t bit = 3; bit < content.size() * 8; bit += InSoakElse<size_t>(1, 97)) {
    const size_t at = bit / 8;
    SCOPED_TRACE(bit);
    put(at, static_cast<char>(content[at] ^ (1 << bit % 8)));
    StringTable strings;
    Salvaged<Row> kept;
    if (ReadSegment<Row>(run, segment, {}, strings, &kept.rows).ok()) {
      ExpectAsWritten(kept, strings, written, reader.strings());
      EXPECT_EQ(kept.rows.size(), written.size());
    } else {
      ++*refused;
      kept = *SalvageSegment<Row>(run, segment, strings);
      ExpectAsWritten(kept, strings, written, reader.strings());
      *kept_rows += static_cast<int>(kept.rows.size());
    }
    put(at, content[at]);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST_F(SalvageTest, NoFlippedBitGivesOtherValues) {
  int refused = 0;
  int kept = 0;
  FlipBits<SliceRow>(run(), Segment("slices"), &refused, &kept);
  FlipBits<MemoryRow>(run(), Segment("memory"), &refused, &kept);
  EXPECT_GT(refused, 50);
  EXPECT_GT(kept, 10 * kSalvageRows) << "a flipped bit costs a column, not all rows of the file";
}

// As where two texts became one after they had been numbered.
TEST_F(SalvageTest, IndicesPastTheDictionaryCostTheTextsAndNoRow) {
  StringTable strings;
  std::vector<StackRow> rows(kSalvageRows);
  for (int i = 0; i < kSalvageRows; ++i) {
    rows[static_cast<size_t>(i)].stack = i;
    rows[static_cast<size_t>(i)].function = strings.Intern("f");
  }
  SegmentInfo segment;
  segment.file = OwnSegment("stacks", -2, 0);
  auto batch = *EncodeSegment(RowsView<StackRow>{rows, {}}, strings, &segment);
  arrow::StringBuilder texts;
  ASSERT_TRUE(texts.AppendValues(std::vector<std::string>{"a", "b", "c"}).ok());
  arrow::Int32Builder indices;
  for (int i = 0; i < kSalvageRows; ++i) ASSERT_TRUE(indices.Append(i % 4).ok());
  const int column = batch->schema()->GetFieldIndex("file");
  const auto names = std::make_shared<arrow::DictionaryArray>(DictionaryType(), *indices.Finish(),
                                                              *texts.Finish());
  batch = *batch->SetColumn(column, batch->schema()->field(column), names);
  ASSERT_OK(WriteSegmentFile(run(), *batch, Sync::kNow, &segment));
  StringTable read;
  std::vector<StackRow> none;
  ASSERT_FALSE(ReadSegment<StackRow>(run(), segment, {}, read, &none).ok());
  const auto kept = SalvageSegment<StackRow>(run(), segment, read);
  ASSERT_OK(kept);
  EXPECT_THAT(kept->lost_columns, ElementsAre("file"));
  ExpectAsWritten(*kept, read, rows, strings);
  ASSERT_EQ(kept->rows.size(), rows.size());
}

TEST_F(SalvageTest, AnotherSegmentInItsPlaceIsRejected) {
  const SegmentInfo memory = Segment("memory");
  fs::copy_file(run() / Segment("slices").file, run() / memory.file,
                fs::copy_options::overwrite_existing);
  StringTable strings;
  EXPECT_TRUE(SalvageSegment<MemoryRow>(run(), memory, strings)->rows.empty());
  // Of the table itself, with other rows.
  MemoryRow row;
  row.ts_ns = 7;
  SegmentInfo other;
  other.file = OwnSegment("memory", -1, 9);
  other.rank = -1;
  const std::vector<MemoryRow> rows = {row};
  ASSERT_OK(WriteSegment(run(), other, RowsView<MemoryRow>{rows, {}}, strings));
  fs::copy_file(run() / other.file, run() / memory.file, fs::copy_options::overwrite_existing);
  EXPECT_TRUE(SalvageSegment<MemoryRow>(run(), memory, strings)->rows.empty());
}

TEST_F(SalvageTest, RecoveryKeepsWhatIsSoundAndPutsTheFileAside) {
  const SegmentInfo slices = Segment("slices");
  const std::string whole = FileBytes(run() / slices.file);
  std::string damaged;
  // A bit of a page without which rows can stand.
  for (size_t at = 4; at < whole.size(); ++at) {
    damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    std::ofstream(run() / slices.file, std::ios::binary) << damaged;
    StringTable strings;
    std::vector<SliceRow> rows;
    if (ReadSegment<SliceRow>(run(), slices, {}, strings, &rows).ok()) continue;
    if (SalvageSegment<SliceRow>(run(), slices, strings)->lost_columns.size() == 1) break;
  }
  size_t left_out = 0;
  {
    RunReader reader = OpenRun(run());
    EXPECT_TRUE(reader.Read<SliceRow>()->empty());
    left_out = reader.damaged().size();
    ASSERT_EQ(left_out, 1u);
    EXPECT_THAT(reader.damaged()[0].why.text(),
                HasSubstr("`steptrace recover " + run().string() + "` keeps what is sound of it"));
    const auto losses = *reader.Read<DataLossRow>();
    ASSERT_EQ(losses.size(), 1u);
    EXPECT_EQ(reader.Text(losses[0].cause), "segment_damaged");
    EXPECT_EQ(losses[0].count, kSalvageRows);
  }
  const auto aside = PutDamagedAside(run());
  ASSERT_OK(aside);
  ASSERT_EQ(aside->size(), 1u);
  EXPECT_EQ(FileBytes(AsideOf(run(), run() / OwnSegment("slices", 0, 0))), damaged);
  RunReader reader = OpenRun(run());
  int64_t lost = 0;
  int64_t columns = 0;
  const auto losses = reader.Read<DataLossRow>();
  for (const DataLossRow& loss : *losses) {
    const std::string& cause = reader.Text(loss.cause);
    lost += cause == "segment_damaged" ? loss.count : 0;
    columns += cause == "column_damaged";
  }
  EXPECT_EQ(static_cast<int64_t>(reader.Read<SliceRow>()->size()), kSalvageRows);
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(columns, 1);
  EXPECT_TRUE(reader.damaged().empty());
  EXPECT_TRUE(PutDamagedAside(run())->empty());
}

}  // namespace
}  // namespace steptrace::store
