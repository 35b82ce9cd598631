// SPDX-License-Identifier: Apache-2.0
#include "store/column_encoding.h"

#include <arrow/array.h>
#include <arrow/util/compression.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "store/arrow_support.h"

namespace steptrace::store {
namespace {

constexpr int64_t kSampleRows = 4096;
constexpr int64_t kMiniblock = 32;  // values of DELTA_BINARY_PACKED that share a width
constexpr int kZstdLevel = 1;

enum class Form { kDictionary, kDelta, kPlain };

template <class ArrayType>
std::vector<int64_t> Sample(const arrow::Array& array, int64_t begin, int64_t rows) {
  const auto& numbers = static_cast<const ArrayType&>(array);
  std::vector<int64_t> values;
  int64_t end = std::min(array.length(), begin + rows);
  for (int64_t i = begin; i < end; ++i) {
    if (numbers.IsValid(i)) values.push_back(numbers.Value(i));
  }
  return values;
}

// Differences wrap around, as they do in Parquet.
uint64_t DeltaAt(const std::vector<int64_t>& values, size_t i) {
  return static_cast<uint64_t>(values[i]) - static_cast<uint64_t>(values[i - 1]);
}

// Bits that a difference in [begin, end) takes beyond the lowest.
int WidthOfDeltas(const std::vector<int64_t>& values, size_t begin, size_t end,
                  uint64_t* lowest_delta) {
  auto lowest = std::numeric_limits<int64_t>::max();
  auto highest = std::numeric_limits<int64_t>::min();
  for (size_t i = begin; i < end; ++i) {
    auto delta = static_cast<int64_t>(DeltaAt(values, i));
    lowest = std::min(lowest, delta);
    highest = std::max(highest, delta);
  }
  *lowest_delta = static_cast<uint64_t>(lowest);
  return static_cast<int>(std::bit_width(static_cast<uint64_t>(highest) - *lowest_delta));
}

int64_t DeltaBits(const std::vector<int64_t>& values) {
  int64_t bits = 0;
  for (size_t begin = 1; begin < values.size(); begin += kMiniblock) {
    size_t end = std::min(begin + kMiniblock, values.size());
    uint64_t lowest = 0;
    bits += 8 + int64_t{WidthOfDeltas(values, begin, end, &lowest)} * kMiniblock;
  }
  return bits;
}

int64_t CountDistinct(const std::vector<int64_t>& values) {
  constexpr int kPlaceBits = 14;  // twice the sample: an empty place is near
  static_assert(int64_t{1} << kPlaceBits >= 2 * kSampleRows);
  constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;
  std::vector<int64_t> places(size_t{1} << kPlaceBits);  // 0: empty
  bool has_zero = false;
  int64_t distinct = 0;
  for (int64_t value : values) {
    if (value == 0) {
      has_zero = true;
      continue;
    }
    size_t at = static_cast<uint64_t>(value) * kSpread >> (64 - kPlaceBits);
    while (places[at] != 0 && places[at] != value) at = (at + 1) & (places.size() - 1);
    distinct += places[at] == 0;
    places[at] = value;
  }
  return distinct + has_zero;
}

// A dictionary of all values and an index a value; runs of one value cost next to nothing.
int64_t DictionaryBits(const std::vector<int64_t>& values, int value_bits) {
  int64_t distinct = CountDistinct(values);
  int64_t changes = 0;
  for (size_t i = 1; i < values.size(); ++i) changes += values[i] != values[i - 1];
  auto width = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(distinct)));
  auto packed = static_cast<int64_t>(values.size()) * width;
  int64_t runs = changes * (8 + width);
  return distinct * value_bits + std::min(packed, runs);
}

// How often each value comes.
std::vector<int64_t> Counts(std::vector<int64_t> values) {
  std::sort(values.begin(), values.end());
  std::vector<int64_t> counts;
  for (size_t begin = 0, end = 0; begin < values.size(); begin = end) {
    while (end < values.size() && values[end] == values[begin]) ++end;
    counts.push_back(static_cast<int64_t>(end - begin));
  }
  return counts;
}

// Bits a value after compression of a dictionary over `rows` of which these are some. Its values
// grow with the rows as they do from half of the sample to all of it (Heaps' law); the indices take
// their entropy, and by what was measured on profiles an eighth more.
double PackedDictionaryBits(const std::vector<int64_t>& sample, int64_t rows) {
  constexpr double kValueBits = 32;  // of 64; the high bytes are alike
  std::vector<int64_t> counts = Counts(sample);
  auto size = static_cast<double>(sample.size());
  double entropy_bits = 0;
  for (int64_t count : counts) {
    double share = static_cast<double>(count) / size;
    entropy_bits -= share * std::log2(share);
  }
  auto of_half =
      Counts({sample.begin(), sample.begin() + static_cast<ptrdiff_t>(sample.size()) / 2});
  auto distinct = static_cast<double>(counts.size());
  double growth = std::log2(distinct / static_cast<double>(std::max<size_t>(of_half.size(), 1)));
  double scale = std::max(static_cast<double>(rows) / size, 1.0);
  distinct *= std::pow(scale, std::clamp(growth, 0.0, 1.0));
  return distinct * kValueBits / (size * scale) + entropy_bits * 9 / 8;
}

// Bits a value of bytes that hold so many values, after compression.
double PackedBits(const uint8_t* bytes, size_t size, size_t values) {
  constexpr double kNever = 64;
  auto codec = arrow::util::Codec::Create(arrow::Compression::ZSTD, kZstdLevel);
  if (!codec.ok()) return kNever;
  auto given = static_cast<int64_t>(size);
  std::vector<uint8_t> packed(static_cast<size_t>((*codec)->MaxCompressedLen(given, bytes)));
  auto took = (*codec)->Compress(given, bytes, static_cast<int64_t>(packed.size()), packed.data());
  if (!took.ok()) return kNever;
  return static_cast<double>(*took) * 8 / static_cast<double>(values);
}

// The differences as DELTA_BINARY_PACKED writes them, nearly: each miniblock with its lowest.
std::vector<uint8_t> PackedDeltas(const std::vector<int64_t>& values) {
  std::vector<uint8_t> bytes;
  uint64_t open = 0;  // bits that are no byte yet
  int open_bits = 0;
  auto put = [&](uint64_t number, int width) {
    for (; width > 0; width -= 8, number >>= 8) {
      int bits = std::min(width, 8);
      open |= (number & ((1u << bits) - 1)) << open_bits;
      open_bits += bits;
      if (open_bits < 8) continue;
      bytes.push_back(static_cast<uint8_t>(open));
      open >>= 8;
      open_bits -= 8;
    }
  };
  for (size_t begin = 1; begin < values.size(); begin += kMiniblock) {
    size_t end = std::min(begin + kMiniblock, values.size());
    uint64_t lowest = 0;
    int width = WidthOfDeltas(values, begin, end, &lowest);
    put(lowest, 8);
    put(static_cast<uint64_t>(width), 8);
    for (size_t i = begin; i < end; ++i) put(DeltaAt(values, i) - lowest, width);
  }
  return bytes;
}

// Of a column that takes more than a byte a value by the quick look: durations, above all, which
// differ from row to row and yet repeat, so that compression finds more in them than widths tell.
Form FormByTrial(const arrow::Int64Array& array, bool repeats) {
  constexpr int64_t kTrialRows = 1 << 13;
  int64_t begin = std::max<int64_t>((array.length() - kTrialRows) / 2, 0);
  auto values = Sample<arrow::Int64Array>(array, begin, kTrialRows);
  if (values.empty()) return Form::kDictionary;
  std::vector<uint8_t> deltas = PackedDeltas(values);
  double delta = PackedBits(deltas.data(), deltas.size(), values.size());
  double plain = PackedBits(reinterpret_cast<const uint8_t*>(values.data()),
                            values.size() * sizeof(int64_t), values.size());
  double least = std::min(delta, plain);
  if (repeats && PackedDictionaryBits(values, array.length() - array.null_count()) < least) {
    return Form::kDictionary;
  }
  return plain < delta ? Form::kPlain : Form::kDelta;
}

Form FormOf(const arrow::Array& array) {
  bool wide = array.type_id() == arrow::Type::INT64;
  auto values = wide ? Sample<arrow::Int64Array>(array, 0, kSampleRows)
                     : Sample<arrow::Int32Array>(array, 0, kSampleRows);
  int64_t delta = DeltaBits(values);
  int64_t dictionary = DictionaryBits(values, wide ? 64 : 32);
  constexpr int64_t kFewBits = 8;
  if (wide && std::min(delta, dictionary) > kFewBits * static_cast<int64_t>(values.size())) {
    bool repeats = CountDistinct(values) * 4 < static_cast<int64_t>(values.size()) * 3;
    return FormByTrial(static_cast<const arrow::Int64Array&>(array), repeats);
  }
  return delta < dictionary ? Form::kDelta : Form::kDictionary;
}

}  // namespace

std::shared_ptr<parquet::WriterProperties> ChooseEncodings(const arrow::RecordBatch& batch) {
  parquet::WriterProperties::Builder builder;
  builder.memory_pool(Pool())
      ->compression(parquet::Compression::ZSTD)
      ->enable_page_checksum()
      ->max_row_group_length(std::max<int64_t>(batch.num_rows(), 1))
      ->created_by("steptrace");
  for (int i = 0; i < batch.num_columns(); ++i) {
    const arrow::Array& column = *batch.column(i);
    const std::string& name = batch.schema()->field(i)->name();
    auto type = column.type_id();
    // The least and the greatest name of a row group let no reader skip it, and cost a tenth of
    // the writing.
    if (type == arrow::Type::STRING || type == arrow::Type::DICTIONARY) {
      builder.disable_statistics(name);
    }
    builder.compression_level(name, kZstdLevel);
    if (type != arrow::Type::INT64 && type != arrow::Type::INT32) continue;
    if (column.null_count() == column.length()) continue;
    Form form = FormOf(column);
    if (form == Form::kDictionary) continue;
    builder.disable_dictionary(name)->encoding(name, form == Form::kPlain
                                                         ? parquet::Encoding::PLAIN
                                                         : parquet::Encoding::DELTA_BINARY_PACKED);
  }
  return builder.build();
}

}  // namespace steptrace::store
