// SPDX-License-Identifier: Apache-2.0
#include "store/page_writer.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/statistics.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "store/column_encoding.h"
#include "store/row_columns.h"

namespace steptrace::store {
namespace {

using NumberAt = std::function<std::optional<int64_t>(int64_t)>;

template <class Builder>
std::shared_ptr<arrow::Array> ArrayOfNumbers(int64_t rows, const NumberAt& value) {
  Builder builder;
  for (int64_t i = 0; i < rows; ++i) {
    auto number = value(i);
    auto status = number ? builder.Append(static_cast<typename Builder::value_type>(*number))
                         : builder.AppendNull();
    EXPECT_TRUE(status.ok());
  }
  return *builder.Finish();
}

std::shared_ptr<arrow::RecordBatch> BatchOfColumns(
    const std::vector<std::shared_ptr<arrow::Array>>& columns, bool nullable) {
  arrow::FieldVector fields;
  for (size_t i = 0; i < columns.size(); ++i) {
    fields.push_back(arrow::field("c" + std::to_string(i), columns[i]->type(), nullable));
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), columns[0]->length(), columns);
}

std::shared_ptr<arrow::Buffer> Written(const arrow::RecordBatch& batch) {
  auto sink = *arrow::io::BufferOutputStream::Create();
  EXPECT_TRUE(CanWritePages(batch));
  auto status = WritePages(batch, sink);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return *sink->Finish();
}

std::shared_ptr<arrow::Table> ReadBack(const std::shared_ptr<arrow::Buffer>& bytes) {
  parquet::arrow::FileReaderBuilder builder;
  parquet::ReaderProperties properties;
  properties.set_page_checksum_verification(true);
  EXPECT_TRUE(builder.Open(std::make_shared<arrow::io::BufferReader>(bytes), properties).ok());
  auto table = (*builder.Build())->ReadTable();
  EXPECT_TRUE(table.ok()) << table.status().ToString();
  EXPECT_TRUE((*table)->ValidateFull().ok());
  return *table;
}

std::string EncodingsOf(const std::shared_ptr<arrow::Buffer>& bytes, int column) {
  auto file = parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(bytes));
  auto group = file->metadata()->RowGroup(0);
  auto chunk = group->ColumnChunk(column);
  std::string all;
  for (auto encoding : chunk->encodings()) all += parquet::EncodingToString(encoding) + " ";
  return all;
}

void ExpectSame(const arrow::RecordBatch& batch, const std::string& what) {
  auto expected = *arrow::Table::FromRecordBatches({batch.Slice(0)});
  auto read = ReadBack(Written(batch));
  ASSERT_EQ(read->schema()->ToString(), expected->schema()->ToString()) << what;
  EXPECT_TRUE(read->Equals(*expected)) << what;
}

struct PageCase {
  const char* name;
  NumberAt value;
};

std::vector<PageCase> NumberCases() {
  auto random = std::make_shared<std::mt19937_64>(7);
  auto below = [random](int64_t bound) {
    return static_cast<int64_t>((*random)() % static_cast<uint64_t>(bound));
  };
  constexpr auto kLeast = std::numeric_limits<int32_t>::min();
  constexpr auto kMost = std::numeric_limits<int32_t>::max();
  return {{"one number", [](int64_t) { return 5; }},
          {"nothing", [](int64_t) { return std::nullopt; }},
          {"a row in a thousand",
           [](int64_t i) { return i % 1000 == 7 ? std::optional<int64_t>(i) : std::nullopt; }},
          {"long stretches of both",
           [](int64_t i) { return i / 300 % 2 == 0 ? std::optional<int64_t>(i) : std::nullopt; }},
          {"every other row",
           [](int64_t i) { return i % 2 == 0 ? std::optional<int64_t>(i * 3) : std::nullopt; }},
          {"counted up", [](int64_t i) { return i * 3 - 1000; }},
          {"no more than 31 bits", [below](int64_t) { return below(int64_t{1} << 31); }},
          {"from the lowest to the highest",
           [](int64_t i) { return i % 2 == 0 ? int64_t{kLeast} : int64_t{kMost}; }},
          {"256 numbers", [](int64_t i) { return (i * 7919 % 256) * 1'000'003 % 99991; }},
          {"257 numbers", [](int64_t i) { return (i * 7919 % 257) * 1'000'003 % 99991; }},
          {"durations with jitter", [below](int64_t i) { return i % 5 * 7000 + below(900); }}};
}

TEST(PageWriter, NumbersComeBackAsTheyWere) {
  for (const PageCase& one : NumberCases()) {
    for (int64_t rows : {1, 7, 8, 31, 33, 64, 129, 1000, 5003, 70'000}) {
      bool nulls = false;
      for (int64_t i = 0; i < rows; ++i) nulls = nulls || !one.value(i).has_value();
      auto wide = ArrayOfNumbers<arrow::Int64Builder>(rows, one.value);
      auto narrow = ArrayOfNumbers<arrow::Int32Builder>(rows, one.value);
      ExpectSame(*BatchOfColumns({wide, narrow}, true), one.name);
      if (!nulls) ExpectSame(*BatchOfColumns({wide, narrow}, false), one.name);
    }
  }
}

// A page of differences in whole bytes is one block, of so many rows two.
TEST(PageWriter, MoreRowsThanABlockOfDifferencesHasComeBack) {
  constexpr int64_t kMoreThanABlock = (1 << 17) + 130;
  auto ids = [](int64_t i) { return i * 4 + i * 7919 % 3; };
  auto numbers = ArrayOfNumbers<arrow::Int64Builder>(kMoreThanABlock, ids);
  auto batch = BatchOfColumns({numbers}, false);
  ExpectSame(*batch, "ids in nearly their order");
  EXPECT_NE(EncodingsOf(Written(*batch), 0).find("DELTA_BINARY_PACKED"), std::string::npos);
}

TEST(PageWriter, NumbersOf64BitsComeBackAsTheyWere) {
  std::mt19937_64 random(11);
  constexpr auto kLeast = std::numeric_limits<int64_t>::min();
  constexpr auto kMost = std::numeric_limits<int64_t>::max();
  const std::vector<PageCase> cases = {
      {"any", [&](int64_t) { return static_cast<int64_t>(random()); }},
      {"ends", [&](int64_t i) { return i % 3 == 0   ? kLeast
                                       : i % 3 == 1 ? kMost
                                                    : i; }},
      {"up by much", [&](int64_t i) { return kLeast + i * 100'000'000'000'000; }},
      {"many that repeat",
       [&](int64_t) { return static_cast<int64_t>(random() % 70'000 * 0x123456789ABCD); }}};
  for (const PageCase& one : cases) {
    ExpectSame(*BatchOfColumns({ArrayOfNumbers<arrow::Int64Builder>(90'000, one.value)}, false),
               one.name);
  }
  auto repeated = [&](int64_t) {
    return static_cast<int64_t>((random() % 70'000) * 0x123456789ABCD);
  };
  ExpectSame(*BatchOfColumns({ArrayOfNumbers<arrow::Int64Builder>(300'000, repeated)}, false),
             "a dictionary of more than 65536");
}

std::shared_ptr<arrow::Array> ArrayOfNames(int64_t rows, int64_t distinct) {
  arrow::StringBuilder texts;
  for (int64_t i = 0; i < distinct; ++i) {
    EXPECT_TRUE(texts.Append(i == 0 ? "" : "name " + std::to_string(i * i)).ok());
  }
  arrow::Int32Builder indices;
  for (int64_t i = 0; i < rows; ++i) {
    EXPECT_TRUE(indices.Append(static_cast<int32_t>(i * 31 % distinct)).ok());
  }
  return std::make_shared<arrow::DictionaryArray>(DictionaryType(), *indices.Finish(),
                                                  *texts.Finish());
}

TEST(PageWriter, NamesComeBackAsDictionaries) {
  for (int64_t distinct : {1, 2, 255, 256, 257, 65536, 65537}) {
    auto batch = BatchOfColumns({ArrayOfNames(70'001, distinct)}, false);
    auto read = ReadBack(Written(*batch));
    ASSERT_TRUE(read->schema()->field(0)->type()->Equals(*DictionaryType()));
    auto plain = [](const arrow::Array& names) {
      const auto& coded = static_cast<const arrow::DictionaryArray&>(names);
      const auto& texts = static_cast<const arrow::StringArray&>(*coded.dictionary());
      std::vector<std::string> all;
      for (int64_t i = 0; i < coded.length(); ++i) {
        all.emplace_back(texts.GetView(coded.GetValueIndex(i)));
      }
      return all;
    };
    ASSERT_EQ(read->column(0)->num_chunks(), 1);
    EXPECT_EQ(plain(*read->column(0)->chunk(0)), plain(*batch->column(0))) << distinct;
  }
}

TEST(PageWriter, EveryEncodingHasItsUse) {
  std::mt19937_64 random(5);
  auto below = [&](uint64_t bound) { return static_cast<int64_t>(random() % bound); };
  int64_t at = 0;
  auto encodings = [](const NumberAt& value) {
    return EncodingsOf(
        Written(*BatchOfColumns({ArrayOfNumbers<arrow::Int64Builder>(50'000, value)}, false)), 0);
  };
  EXPECT_NE(encodings([&](int64_t) { return at += below(20'000); }).find("DELTA_BINARY_PACKED"),
            std::string::npos);
  EXPECT_NE(encodings([&](int64_t i) {
              return below(9) * below(9) * below(9) + i % 2;
            }).find("RLE_DICTIONARY"),
            std::string::npos);
  EXPECT_NE(encodings([&](int64_t) {
              return below(1 + (uint64_t{1} << below(24)));
            }).find("BYTE_STREAM_SPLIT"),
            std::string::npos);
}

// Against Arrow's writer with any encoding that we let it choose: of the same rows not more than 5
// % beyond its bytes, as a trial with a sample of them may miss, and an eighth of a bit a row.
TEST(PageWriter, TakesNoMoreThanArrowsWriter) {
  auto with_schema = parquet::ArrowWriterProperties::Builder().store_schema()->build();
  for (const PageCase& one : NumberCases()) {
    auto batch = BatchOfColumns({ArrayOfNumbers<arrow::Int64Builder>(60'000, one.value)}, true);
    auto table = *arrow::Table::FromRecordBatches({batch->Slice(0)});
    auto sink = *arrow::io::BufferOutputStream::Create();
    ASSERT_TRUE(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, 60'000,
                                           ChooseEncodings(*batch), with_schema)
                    .ok());
    int64_t arrows = (*sink->Finish())->size();
    EXPECT_LE(Written(*batch)->size(), arrows + arrows / 20 + 1'000) << one.name;
  }
}

TEST(PageWriter, WhatTakesManyBytesARowIsPackedHarder) {
  constexpr int64_t kMany = 30'000;
  // Launches as a trace has them: some hundred kinds in sequences that come again, now and then
  // another.
  std::mt19937_64 random(5);
  std::vector<int64_t> sequence(900);
  for (auto& kind : sequence) kind = static_cast<int64_t>(random() % 200);
  auto launches = ArrayOfNumbers<arrow::Int32Builder>(kMany, [&](int64_t i) {
    return random() % 8 == 0 ? static_cast<int64_t>(random() % 200)
                             : sequence[static_cast<size_t>(i) % sequence.size()];
  });
  auto noise = ArrayOfNumbers<arrow::Int64Builder>(
      kMany, [&](int64_t) { return static_cast<int64_t>(random() >> 16); });
  auto size = [](const std::vector<std::shared_ptr<arrow::Array>>& columns) {
    return Written(*BatchOfColumns(columns, false))->size();
  };
  const int64_t launches_alone = size({launches});
  ASSERT_LT(launches_alone, 5 * kMany);
  const int64_t noise_alone = size({noise});
  ASSERT_GT(noise_alone, 5 * kMany);
  // Launches beside it take a twentieth less than alone.
  EXPECT_LT(size({launches, noise}), noise_alone + launches_alone * 19 / 20);
  ExpectSame(*BatchOfColumns({launches, noise}, false), "packed harder");
}

TEST(PageWriter, StatisticsHoldTheEndsAndTheNulls) {
  auto value = [](int64_t i) {
    return i % 4 == 0 ? std::nullopt : std::optional<int64_t>(i * (i % 2 == 0 ? -2 : 3));
  };
  auto bytes = Written(*BatchOfColumns({ArrayOfNumbers<arrow::Int64Builder>(1000, value)}, true));
  auto file = parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(bytes));
  auto group = file->metadata()->RowGroup(0);
  auto chunk = group->ColumnChunk(0);
  auto statistics = std::static_pointer_cast<parquet::Int64Statistics>(chunk->statistics());
  ASSERT_TRUE(statistics && statistics->HasMinMax());
  EXPECT_EQ(statistics->min(), -2 * 998);
  EXPECT_EQ(statistics->max(), 3 * 999);
  EXPECT_EQ(statistics->null_count(), 250);
  EXPECT_EQ(chunk->num_values(), 1000);
}

TEST(PageWriter, OtherColumnsAreArrows) {
  arrow::DoubleBuilder doubles;
  ASSERT_TRUE(doubles.Append(1.5).ok());
  EXPECT_FALSE(CanWritePages(*BatchOfColumns({*doubles.Finish()}, false)));
  auto numbers = ArrayOfNumbers<arrow::Int64Builder>(4, [](int64_t i) { return i; });
  EXPECT_FALSE(CanWritePages(*BatchOfColumns({numbers->Slice(1)}, false)));
  EXPECT_FALSE(CanWritePages(*BatchOfColumns({numbers->Slice(0, 0)}, false)));
}

}  // namespace
}  // namespace steptrace::store
