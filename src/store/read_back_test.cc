// SPDX-License-Identifier: Apache-2.0
#include "store/read_back.h"

#include <arrow/api.h>
#include <gmock/gmock.h>

#include <fstream>
#include <string>
#include <vector>

#include "store/row_columns.h"
#include "store/run_files.h"
#include "store/segment.h"
#include "testing/test_run.h"

namespace steptrace::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ReadBackTest : public ::testing::Test {
 protected:
  ReadBackTest() {
    for (int64_t i = 0; i < kRows; ++i) rows_.push_back(SampleSlice(strings_, i));
    segment_.file = SegmentFile("slices", "writer", 0, 0, 0);
    batch_ = *EncodeSegment(RowsView<SliceRow>{rows_, {}}, strings_, &segment_);
  }

  Status Write(const arrow::RecordBatch& batch) {
    std::filesystem::remove(dir_.path() / segment_.file);  // none is written over another
    return WriteSegmentFile(dir_.path(), batch, Sync::kLater, &segment_);
  }
  // What the file's readers say of it, beside this batch.
  std::string Found(const arrow::RecordBatch& written, ReadsBack reads = ReadsBack::kAll) const {
    const Status status = ReadBack(dir_.path(), segment_, written, reads);
    return status.ok() ? "" : status.error().text();
  }
  std::shared_ptr<arrow::RecordBatch> With(const std::string& column,
                                           std::shared_ptr<arrow::Array> array) const {
    const int at = batch_->schema()->GetFieldIndex(column);
    return *batch_->SetColumn(at, batch_->schema()->field(at), std::move(array));
  }

  static constexpr int64_t kRows = 40'000;  // several batches
  TempDir dir_;
  StringTable strings_;
  std::vector<SliceRow> rows_;
  SegmentInfo segment_;
  std::shared_ptr<arrow::RecordBatch> batch_;
};

TEST_F(ReadBackTest, WhatWasWrittenIsFound) {
  ASSERT_OK(Write(*batch_));
  EXPECT_EQ(Found(*batch_), "");
  EXPECT_EQ(Found(*batch_, ReadsBack::kTexts), "");
}

// A dictionary with a text twice: readers merge them, and the numbers behind lead elsewhere.
TEST_F(ReadBackTest, ADictionaryThatHoldsATextTwice) {
  const auto& names = static_cast<const arrow::DictionaryArray&>(*batch_->GetColumnByName("name"));
  arrow::StringBuilder texts;
  for (const char* text : {"a", "a", "b", "b"}) ASSERT_TRUE(texts.Append(text).ok());
  const auto twice =
      std::make_shared<arrow::DictionaryArray>(DictionaryType(), names.indices(), *texts.Finish());
  const auto batch = With("name", twice);
  ASSERT_TRUE(batch->ValidateFull().ok()) << "nothing in memory says so";
  ASSERT_OK(Write(*batch));
  for (const ReadsBack reads : {ReadsBack::kAll, ReadsBack::kTexts}) {
    EXPECT_THAT(Found(*batch, reads),
                AllOf(HasSubstr("cannot read back what was written to tables/slices"),
                      HasSubstr("report this as a bug"), Not(HasSubstr("\n"))));
  }
}

TEST_F(ReadBackTest, OneValueThatDiffers) {
  ASSERT_OK(Write(*batch_));
  for (const char* column : {"ts_ns", "track", "step", "name"}) {
    rows_[kRows - 7].ts_ns += 1;
    rows_[kRows - 7].track += 1;
    rows_[kRows - 7].step = std::nullopt;
    rows_[kRows - 7].name = strings_.Intern("another");
    SegmentInfo ignored = segment_;
    const auto other = *EncodeSegment(RowsView<SliceRow>{rows_, {}}, strings_, &ignored);
    EXPECT_THAT(Found(*With(column, other->GetColumnByName(column))),
                HasSubstr(std::string("column ") + column + " holds other values"));
  }
}

TEST_F(ReadBackTest, RowsMoreOrLessAndOtherColumns) {
  ASSERT_OK(Write(*batch_->Slice(0, kRows - 1)));
  EXPECT_THAT(Found(*batch_), HasSubstr("rows are missing"));
  EXPECT_THAT(Found(*batch_, ReadsBack::kTexts), HasSubstr("rows are missing"));
  ASSERT_OK(Write(*batch_));
  EXPECT_THAT(Found(*batch_->Slice(0, kRows - 1)), HasSubstr("too many rows"));
  ASSERT_OK(Write(**batch_->RemoveColumn(0)));
  EXPECT_THAT(Found(*batch_), HasSubstr("its columns are"));
}

// Of a table without texts.
TEST_F(ReadBackTest, RowsAreCountedWhereNoColumnIsRead) {
  const std::vector<MemoryRow> rows(100);
  const auto batch = *EncodeSegment(RowsView<MemoryRow>{rows, {}}, strings_, &segment_);
  ASSERT_OK(Write(*batch));
  EXPECT_EQ(Found(*batch, ReadsBack::kTexts), "");
  ASSERT_OK(Write(*batch->Slice(0, 99)));
  EXPECT_THAT(Found(*batch, ReadsBack::kTexts), HasSubstr("rows are missing"));
}

TEST_F(ReadBackTest, AByteThatTheDiskChanged) {
  ASSERT_OK(Write(*batch_));
  std::fstream file(dir_.path() / segment_.file, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(segment_.bytes / 2);
  const char byte = static_cast<char>(file.peek() ^ 1);
  file.seekp(segment_.bytes / 2);
  file.put(byte);
  file.close();
  EXPECT_NE(Found(*batch_), "");
}

}  // namespace
}  // namespace steptrace::store
