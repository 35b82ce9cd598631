// SPDX-License-Identifier: Apache-2.0
#include "store/column_encoding.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace steptrace::store {
namespace {

constexpr int64_t kRows = 60'000;

std::shared_ptr<arrow::RecordBatch> BatchOf(const std::function<int64_t(int64_t)>& value) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < kRows; ++i) EXPECT_TRUE(builder.Append(value(i)).ok());
  auto array = builder.Finish();
  EXPECT_TRUE(array.ok());
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("x", arrow::int64(), false)}), kRows,
                                  {*array});
}

// Bytes of a file with the batch alone.
int64_t Stored(const arrow::RecordBatch& batch,
               const std::shared_ptr<parquet::WriterProperties>& properties) {
  auto sink = *arrow::io::BufferOutputStream::Create();
  auto table = *arrow::Table::FromRecordBatches({batch.Slice(0)});
  EXPECT_TRUE(
      parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, kRows, properties)
          .ok());
  return (*sink->Finish())->size();
}

std::shared_ptr<parquet::WriterProperties> Fixed(parquet::Encoding::type encoding) {
  parquet::WriterProperties::Builder builder;
  builder.compression(parquet::Compression::ZSTD)->compression_level(1);
  if (encoding != parquet::Encoding::RLE_DICTIONARY) {
    builder.disable_dictionary()->encoding("x", encoding);
  }
  return builder.build();
}

struct Case {
  const char* name;
  std::function<int64_t(int64_t)> value;
};

// What is chosen is as small as the smallest of all, or nearly.
TEST(ColumnEncoding, ChoosesWhatStoresLeast) {
  std::mt19937_64 random(3);
  auto below = [&](int64_t bound) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(bound));
  };
  int64_t at = 0;
  const std::vector<Case> cases = {
      {"begins", [&](int64_t) { return at += 500 + below(20'000); }},
      {"durations of a few kinds, with jitter",
       [&](int64_t i) {
         return std::vector<int64_t>{4'000, 12'000, 5'389, 30'205}[i % 4] + below(9);
       }},
      {"durations in whole us, by kind",
       [&](int64_t i) { return (i % 3 * 40 + below(30)) * 1000; }},
      {"durations that never repeat", [&](int64_t) { return 1'000 + below(int64_t{1} << 34); }},
      {"durations in whole ns",
       [&](int64_t i) { return i % 7 == 0 ? below(90'000) : below(4'000); }},
      {"numbers up and down again", [](int64_t i) { return i % 200 < 100 ? i : i - i % 200 * 2; }},
      {"runs of one number", [](int64_t i) { return i / 977 * 1'000'003; }},
      {"a number for each", [](int64_t i) { return i * 3; }}};
  for (const Case& one : cases) {
    auto batch = BatchOf(one.value);
    int64_t least = kRows * 64;
    for (auto encoding : {parquet::Encoding::RLE_DICTIONARY, parquet::Encoding::PLAIN,
                          parquet::Encoding::DELTA_BINARY_PACKED}) {
      least = std::min(least, Stored(*batch, Fixed(encoding)));
    }
    int64_t chosen = Stored(*batch, ChooseEncodings(*batch));
    EXPECT_LE(chosen, least + least / 5 + 1'000) << one.name;
  }
}

}  // namespace
}  // namespace steptrace::store
