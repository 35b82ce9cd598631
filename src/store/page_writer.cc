// SPDX-License-Identifier: Apache-2.0
#include "store/page_writer.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/writer.h>
#include <arrow/util/base64.h>
#include <arrow/util/compression.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/schema.h>
#include <parquet/column_page.h>
#include <parquet/column_writer.h>
#include <parquet/file_writer.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/statistics.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "store/arrow_support.h"
#include "store/page_encoding.h"
#include "store/page_packer.h"

namespace steptrace::store {
namespace {

constexpr size_t kTrialValues = 4096;
constexpr int kDataLevel = 1;
// Of a segment that is not a large run's, whose time nobody feels.
constexpr int kSmallDataLevel = 6;
constexpr int64_t kSmallRows = 1 << 16;
// Of one that would take more bytes a row than the store is to take: ten times the time of level 6.
constexpr int kDenseDataLevel = 15;
constexpr int64_t kMostBytesARow = 5;
constexpr int64_t kFewRows = 1 << 12;  // what they take is the names' and the footer's
constexpr int kTextLevel = 6;          // of what stands in a file once

// How a column's values become bytes.
enum class PageForm : uint8_t { kDictionary, kBitDeltas, kByteDeltas, kSplit, kPlain };

parquet::Encoding::type EncodingOf(PageForm form) {
  switch (form) {
    case PageForm::kDictionary:
      return parquet::Encoding::RLE_DICTIONARY;
    case PageForm::kBitDeltas:
    case PageForm::kByteDeltas:
      return parquet::Encoding::DELTA_BINARY_PACKED;
    case PageForm::kSplit:
      return parquet::Encoding::BYTE_STREAM_SPLIT;
    case PageForm::kPlain:
      return parquet::Encoding::PLAIN;
  }
  return parquet::Encoding::PLAIN;
}

template <class T>
void AppendIn(PageForm form, std::span<const T> values, PageBytes* out) {
  switch (form) {
    case PageForm::kBitDeltas:
      return AppendDeltas(values, DeltaWidths::kBits, out);
    case PageForm::kByteDeltas:
      return AppendDeltas(values, DeltaWidths::kBytes, out);
    case PageForm::kSplit:
      return AppendSplit(values, out);
    case PageForm::kPlain:
    case PageForm::kDictionary:
      return AppendPlain(values, out);
  }
}

// How long the ranges of a page are that differ from each other: all lowest bytes, all second
// ones. 0: there are none, or each is too short for codes of its own.
size_t TimeRangeOf(PageForm form, size_t values) {
  constexpr size_t kLeast = 1024;
  return form == PageForm::kSplit && values >= kLeast ? values : 0;
}

// The distinct values of a column in the order in which they come, and which of them each is.
template <class T>
class NumberDictionary {
 public:
  // False: there are more than `most`, and what is here is of no use.
  bool Take(std::span<const T> values, size_t most) {
    distinct_.clear();
    indices_.resize(values.size());
    size_t places = std::bit_ceil(std::clamp<size_t>(most * 2, 64, size_t{1} << 12));
    Resize(places);
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0 && values[i] == values[i - 1]) {
        indices_[i] = indices_[i - 1];
        continue;
      }
      size_t at = PlaceOf(values[i]);
      if (places_[at] < 0) {
        if (distinct_.size() >= most) return false;
        places_[at] = static_cast<int32_t>(distinct_.size());
        distinct_.push_back(values[i]);
        if (distinct_.size() * 2 > places_.size()) {
          indices_[i] = static_cast<int32_t>(distinct_.size()) - 1;
          Resize(places_.size() * 4);
          continue;
        }
      }
      indices_[i] = places_[at];
    }
    return true;
  }
  const std::vector<T>& distinct() const { return distinct_; }
  const std::vector<int32_t>& indices() const { return indices_; }

 private:
  size_t PlaceOf(T value) const {
    constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;
    size_t mask = places_.size() - 1;
    size_t at = static_cast<uint64_t>(value) * kSpread >> shift_;
    while (places_[at] >= 0 && distinct_[static_cast<size_t>(places_[at])] != value) {
      at = (at + 1) & mask;
    }
    return at;
  }
  void Resize(size_t places) {
    places_.assign(places, -1);
    shift_ = 64 - std::countr_zero(places);
    for (size_t i = 0; i < distinct_.size(); ++i) {
      places_[PlaceOf(distinct_[i])] = static_cast<int32_t>(i);
    }
  }

  std::vector<T> distinct_;
  std::vector<int32_t> indices_;
  std::vector<int32_t> places_;  // of values by their hash; -1: none
  int shift_ = 0;
};

// What is needed for a column and, its memory, for the next one.
struct ColumnScratch {
  PageBytes page;
  PageBytes trial;
  std::vector<int32_t> narrow;
  std::vector<int64_t> wide;
  NumberDictionary<int32_t> narrow_dictionary;
  NumberDictionary<int64_t> wide_dictionary;

  template <class T>
  std::vector<T>& Values() {
    if constexpr (sizeof(T) == sizeof(int32_t)) {
      return narrow;
    } else {
      return wide;
    }
  }
  template <class T>
  NumberDictionary<T>& Dictionary() {
    if constexpr (sizeof(T) == sizeof(int32_t)) {
      return narrow_dictionary;
    } else {
      return wide_dictionary;
    }
  }
};

std::shared_ptr<arrow::Buffer> View(const void* bytes, size_t size) {
  return std::make_shared<arrow::Buffer>(static_cast<const uint8_t*>(bytes),
                                         static_cast<int64_t>(size));
}

// Appends the values of rows whose bit is set.
template <class T>
void AppendValid(const T* values, const uint8_t* valid, int64_t rows, std::vector<T>* out) {
  constexpr int64_t kWord = 64;
  for (int64_t begin = 0; begin < rows; begin += kWord) {
    int64_t count = std::min(kWord, rows - begin);
    uint64_t bits = 0;
    std::memcpy(&bits, valid + begin / 8, static_cast<size_t>((count + 7) / 8));
    if (count < kWord) bits &= (uint64_t{1} << count) - 1;
    if (bits == ~uint64_t{0}) {
      out->insert(out->end(), values + begin, values + begin + kWord);
      continue;
    }
    for (; bits != 0; bits &= bits - 1) out->push_back(values[begin + std::countr_zero(bits)]);
  }
}

// Writes the columns of one file, one after the other.
class PageFile {
 public:
  PageFile(const arrow::RecordBatch& batch, std::shared_ptr<arrow::io::OutputStream> sink,
           ColumnScratch& scratch, int level)
      : batch_(batch), sink_(std::move(sink)), scratch_(scratch), level_(level) {}

  arrow::Status Write() {
    parquet::WriterProperties::Builder builder;
    builder.memory_pool(Pool())->compression(parquet::Compression::ZSTD)->created_by("steptrace");
    auto properties = builder.build();
    std::shared_ptr<parquet::SchemaDescriptor> schema;
    ARROW_RETURN_NOT_OK(
        parquet::arrow::ToParquetSchema(batch_.schema().get(), *properties, &schema));
    auto file = parquet::FileMetaDataBuilder::Make(schema.get(), properties);
    constexpr std::string_view kMagic = "PAR1";
    ARROW_RETURN_NOT_OK(sink_->Write(kMagic.data(), static_cast<int64_t>(kMagic.size())));
    parquet::RowGroupMetaDataBuilder* group = file->AppendRowGroup();
    group->set_num_rows(batch_.num_rows());
    for (int i = 0; i < batch_.num_columns(); ++i) {
      ARROW_RETURN_NOT_OK(
          WriteColumn(*batch_.column(i), static_cast<int16_t>(i), group->NextColumnChunk()));
    }
    group->Finish(bytes_, 0);
    ARROW_ASSIGN_OR_RAISE(auto arrow_schema, arrow::ipc::SerializeSchema(*batch_.schema(), Pool()));
    // With it readers get dictionaries back as dictionaries.
    auto facts = arrow::key_value_metadata(
        {"ARROW:schema"}, {arrow::util::base64_encode(std::string_view(*arrow_schema))});
    auto footer = file->Finish(facts);
    parquet::WriteFileMetaData(*footer, sink_.get());
    return sink_->Flush();
  }

 private:
  arrow::Status WriteColumn(const arrow::Array& array, int16_t number,
                            parquet::ColumnChunkMetaDataBuilder* metadata) {
    chunk_ = metadata;
    auto pages = parquet::PageWriter::Open(sink_, parquet::Compression::ZSTD, metadata, 0, number,
                                           Pool(), false, nullptr, nullptr, true, nullptr, nullptr,
                                           arrow::util::CodecOptions(kTextLevel));
    pages_ = pages.get();
    scratch_.page.clear();
    nullable_ = metadata->descr()->max_definition_level() > 0;
    bool has_dictionary = false;
    switch (array.type_id()) {
      case arrow::Type::INT32: {
        ARROW_ASSIGN_OR_RAISE(has_dictionary, WriteNumbers<arrow::Int32Type>(array));
        break;
      }
      case arrow::Type::INT64: {
        ARROW_ASSIGN_OR_RAISE(has_dictionary, WriteNumbers<arrow::Int64Type>(array));
        break;
      }
      default:
        has_dictionary = true;
        ARROW_RETURN_NOT_OK(WriteNames(static_cast<const arrow::DictionaryArray&>(array)));
    }
    pages->Close(has_dictionary, false);
    bytes_ += metadata->total_compressed_size();
    return arrow::Status::OK();
  }

  arrow::Status WriteNames(const arrow::DictionaryArray& names) {
    const auto& texts = static_cast<const arrow::StringArray&>(*names.dictionary());
    PageBytes dictionary;
    for (int64_t i = 0; i < texts.length(); ++i) {
      std::string_view text = texts.GetView(i);
      auto length = static_cast<uint32_t>(text.size());
      size_t before = dictionary.size();
      dictionary.resize(before + sizeof length + text.size());
      std::memcpy(dictionary.data() + before, &length, sizeof length);
      if (length > 0) {
        std::memcpy(dictionary.data() + before + sizeof length, text.data(), text.size());
      }
    }
    if (nullable_) AppendLevels(true, names.length(), &scratch_.page);
    const auto& indices = static_cast<const arrow::Int32Array&>(*names.indices());
    std::span<const int32_t> all(indices.raw_values(), static_cast<size_t>(indices.length()));
    AppendIndices(all, texts.length(), &scratch_.page);
    WriteDictionary(dictionary.data(), dictionary.size(), texts.length());
    return WriteData(PageForm::kDictionary, names.length(), 0);
  }

  // Whether there is a dictionary.
  template <class Type>
  arrow::Result<bool> WriteNumbers(const arrow::Array& array) {
    using T = typename Type::c_type;
    const auto& numbers = static_cast<const arrow::NumericArray<Type>&>(array);
    auto values = Valid<T>(numbers);
    SetStatistics(values, array.null_count());
    NumberDictionary<T>& dictionary = scratch_.Dictionary<T>();
    PageForm form = ChooseForm(values, dictionary);
    if (form == PageForm::kDictionary) {
      AppendIndices(dictionary.indices(), static_cast<int64_t>(dictionary.distinct().size()),
                    &scratch_.page);
      WriteDictionary(dictionary.distinct().data(), dictionary.distinct().size() * sizeof(T),
                      static_cast<int64_t>(dictionary.distinct().size()));
    } else {
      AppendIn(form, values, &scratch_.page);
    }
    ARROW_RETURN_NOT_OK(WriteData(form, array.length(), TimeRangeOf(form, values.size())));
    return form == PageForm::kDictionary;
  }

  // The values that are not null; appends the levels.
  template <class T, class ArrayType>
  std::span<const T> Valid(const ArrayType& numbers) {
    int64_t rows = numbers.length();
    int64_t nulls = numbers.null_count();
    if (nullable_ && (nulls == 0 || nulls == rows)) AppendLevels(nulls == 0, rows, &scratch_.page);
    if (nulls == 0) return {numbers.raw_values(), static_cast<size_t>(rows)};
    if (nulls == rows) return {};
    AppendLevels(numbers.null_bitmap_data(), rows, &scratch_.page);
    std::vector<T>& values = scratch_.Values<T>();
    values.clear();
    values.reserve(static_cast<size_t>(rows - nulls));
    AppendValid(numbers.raw_values(), numbers.null_bitmap_data(), rows, &values);
    return values;
  }

  template <class T>
  void SetStatistics(std::span<const T> values, int64_t nulls) {
    parquet::EncodedStatistics statistics;
    statistics.set_is_signed(true);
    statistics.set_null_count(nulls);
    if (!values.empty()) {
      T least = values[0];
      T most = values[0];
      for (T value : values) {
        least = std::min(least, value);
        most = std::max(most, value);
      }
      auto bytes = [](const T& value) {
        return std::string(reinterpret_cast<const char*>(&value), sizeof value);
      };
      statistics.set_min(bytes(least)).set_max(bytes(most));
    }
    chunk_->SetStatistics(statistics);
  }

  // Bits a value that a sample takes as it would be written. After it scratch_.trial is used.
  double TrialBits(size_t values) {
    constexpr double kNever = 1e9;
    size_t took = packer_.Pack(scratch_.trial, kDataLevel).size();
    return took > 0 ? static_cast<double>(took) * 8 / static_cast<double>(values) : kNever;
  }

  // The form that stores least, by what a range of the column takes in each. Of a dictionary,
  // what `dictionary` then holds.
  template <class T>
  PageForm ChooseForm(std::span<const T> values, NumberDictionary<T>& dictionary) {
    if (values.empty()) return PageForm::kPlain;
    size_t count = std::min(values.size(), kTrialValues);
    size_t begin = (values.size() - count) / 2;
    std::span<const T> sample = values.subspan(begin, count);
    PageForm best = PageForm::kByteDeltas;
    double least = std::numeric_limits<double>::max();
    auto consider = [&](PageForm form) {
      scratch_.trial.clear();
      AppendIn(form, sample, &scratch_.trial);
      double bits = TrialBits(count);
      if (bits >= least) return;
      least = bits;
      best = form;
    };
    consider(PageForm::kByteDeltas);
    constexpr double kFewBits = 4;
    if (least > kFewBits) {
      consider(PageForm::kBitDeltas);
      consider(PageForm::kSplit);
      consider(PageForm::kPlain);
    }
    // Of a value in a dictionary; the high bytes are alike.
    constexpr double kValueBits = 32;
    // Only where values repeat: a dictionary holds each of them, and an index of it stands for all.
    // With more of them than that they alone would take more than the best so far.
    const auto most = static_cast<size_t>(least * static_cast<double>(values.size()) / kValueBits);
    if (!dictionary.Take(sample, std::min(count / 2, most))) return best;
    if (!dictionary.Take(values, std::min(values.size() / 2, most))) return best;
    scratch_.trial.clear();
    AppendIndices(std::span(dictionary.indices()).subspan(begin, count),
                  static_cast<int64_t>(dictionary.distinct().size()), &scratch_.trial);
    double dictionary_bits = kValueBits * static_cast<double>(dictionary.distinct().size()) /
                             static_cast<double>(values.size());
    return TrialBits(count) + dictionary_bits < least ? PageForm::kDictionary : best;
  }

  void WriteDictionary(const void* bytes, size_t size, int64_t values) {
    pages_->WriteDictionaryPage(parquet::DictionaryPage(
        View(bytes, size), static_cast<int32_t>(values), parquet::Encoding::PLAIN));
  }

  // The page in scratch_.page.
  arrow::Status WriteData(PageForm form, int64_t rows, size_t chunk_bytes) {
    const PageBytes& page = scratch_.page;
    auto packed = packer_.Pack(page, level_, chunk_bytes);
    if (packed.empty()) return arrow::Status::IOError("zstd packs no page of ", page.size());
    pages_->WriteDataPage(parquet::DataPageV1(
        View(packed.data(), packed.size()), static_cast<int32_t>(rows), EncodingOf(form),
        parquet::Encoding::RLE, parquet::Encoding::RLE, static_cast<int64_t>(page.size())));
    return arrow::Status::OK();
  }

  const arrow::RecordBatch& batch_;
  std::shared_ptr<arrow::io::OutputStream> sink_;

  PagePacker packer_;
  ColumnScratch& scratch_;
  const int level_;
  int64_t bytes_ = 0;
  // Of the column that is being written.
  parquet::ColumnChunkMetaDataBuilder* chunk_ = nullptr;
  parquet::PageWriter* pages_ = nullptr;
  bool nullable_ = false;
};

arrow::Result<std::shared_ptr<arrow::Buffer>> FileInMemory(const arrow::RecordBatch& batch,
                                                           ColumnScratch& scratch, int level) {
  constexpr int64_t kFirstBytes = 1 << 16;
  ARROW_ASSIGN_OR_RAISE(auto sink, arrow::io::BufferOutputStream::Create(kFirstBytes, Pool()));
  ARROW_RETURN_NOT_OK(PageFile(batch, sink, scratch, level).Write());
  return sink->Finish();
}

}  // namespace

bool CanWritePages(const arrow::RecordBatch& batch) {
  if (batch.num_rows() == 0) return false;
  for (const auto& column : batch.columns()) {
    if (column->offset() != 0) return false;
    switch (column->type_id()) {
      case arrow::Type::INT32:
      case arrow::Type::INT64:
        continue;
      case arrow::Type::DICTIONARY: {
        const auto& names = static_cast<const arrow::DictionaryArray&>(*column);
        if (names.null_count() > 0 || names.indices()->type_id() != arrow::Type::INT32 ||
            names.dictionary()->type_id() != arrow::Type::STRING) {
          return false;
        }
        continue;
      }
      default:
        return false;
    }
  }
  return true;
}

arrow::Status WritePages(const arrow::RecordBatch& batch,
                         const std::shared_ptr<arrow::io::OutputStream>& sink) {
  // Kept by a thread, which writes several files mostly: the first touch of memory costs more than
  // filling it.
  thread_local ColumnScratch scratch;
  const int64_t rows = batch.num_rows();
  if (rows >= kSmallRows) return PageFile(batch, sink, scratch, kDataLevel).Write();
  ARROW_ASSIGN_OR_RAISE(auto file, FileInMemory(batch, scratch, kSmallDataLevel));
  if (rows >= kFewRows && file->size() > kMostBytesARow * rows) {
    ARROW_ASSIGN_OR_RAISE(file, FileInMemory(batch, scratch, kDenseDataLevel));
  }
  return sink->Write(file);
}

}  // namespace steptrace::store
