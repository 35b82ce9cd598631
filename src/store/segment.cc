// SPDX-License-Identifier: Apache-2.0
#include "store/segment.h"

#include <arrow/table.h>
#include <arrow/util/key_value_metadata.h>
#include <fcntl.h>
#include <parquet/arrow/writer.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <future>
#include <utility>

#include "base/inherited_mode.h"
#include "store/arrow_support.h"
#include "store/column_encoding.h"
#include "store/page_writer.h"
#include "store/parquet_file.h"
#include "store/read_back.h"
#include "store/run_files.h"
#include "store/segment_footer.h"
#include "store/slice_encoder.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

Error ReadError(const fs::path& run, const SegmentInfo& segment, const arrow::Status& status) {
  return ArrowError("cannot read " + (run / segment.file).string(), status,
                    status.IsOutOfMemory() ? "free some memory" : "restore it from a copy");
}

std::shared_ptr<parquet::ArrowWriterProperties> ArrowProperties() {
  // With the Arrow schema in it, readers get dictionaries back as dictionaries.
  return parquet::ArrowWriterProperties::Builder().store_schema()->build();
}

arrow::Status WriteBatch(const arrow::RecordBatch& batch,
                         const std::shared_ptr<FdOutputStream>& sink) {
  ARROW_ASSIGN_OR_RAISE(
      auto writer, parquet::arrow::FileWriter::Open(*batch.schema(), Pool(), sink,
                                                    ChooseEncodings(batch), ArrowProperties()));
  if (batch.num_rows() > 0) {
    ARROW_RETURN_NOT_OK(writer->NewRowGroup());
    for (const auto& column : batch.columns()) {
      ARROW_RETURN_NOT_OK(writer->WriteColumnChunk(*column));
    }
  }
  return writer->Close();
}

Status WriteParquetBatch(const arrow::RecordBatch& batch, int fd, const std::string& where) {
  auto sink = std::make_shared<FdOutputStream>(fd);
  auto status = WithoutExceptions(
      [&] { return CanWritePages(batch) ? WritePages(batch, sink) : WriteBatch(batch, sink); });
  if (sink->error_number() != 0) return SystemError("cannot write " + where, sink->error_number());
  if (!status.ok()) return ArrowError("cannot write " + where, status, "report this as a bug");
  return {};
}

template <class Row>
void FillFacts(const RowsView<Row>& rows, SegmentInfo* segment) {
  segment->rows = static_cast<int64_t>(rows.size());
  if constexpr (kHasTime<Row>) {
    if (rows.size() == 0) return;
    segment->ts_min_ns = rows[0].ts_ns;
    segment->ts_max_ns = rows[rows.size() - 1].ts_ns;
  }
}

// The file of a segment whose end is as it was written.
arrow::Status OpenSegment(const fs::path& run, const SegmentInfo& segment, ParquetReader* reader) {
  const fs::path path = run / segment.file;
  if (segment.footer_crc32) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) return arrow::Status::IOError(std::strerror(errno));
    if (FooterChecksum(fd.get()) != segment.footer_crc32) {
      return arrow::Status::Invalid("its end is not what was written");
    }
  }
  return OpenParquet(path, reader);
}

std::vector<int> ColumnIndices(const arrow::Schema& schema, const std::vector<std::string>& names) {
  std::vector<int> indices;
  for (int i = 0; i < schema.num_fields(); ++i) {
    const std::string& name = schema.field(i)->name();
    bool wanted = names.empty() || std::find(names.begin(), names.end(), name) != names.end();
    if (wanted) indices.push_back(i);
  }
  return indices;
}

template <class Row>
using TakeRows = std::function<Status(std::span<const Row>)>;

// One segment's columns, checked: nothing of them is in rows yet.
struct SegmentTable {
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  int64_t rows_without_columns = 0;  // only columns that stand in the path were asked for
};

constexpr int64_t kHandedRows = 1 << 14;  // of rows that are handed on: they stay in the cache

arrow::Status AddBatches(const arrow::Table& table, SegmentTable* segment) {
  arrow::TableBatchReader batches(table);
  batches.set_chunksize(kHandedRows);
  std::shared_ptr<arrow::RecordBatch> batch;
  while (true) {
    ARROW_RETURN_NOT_OK(batches.ReadNext(&batch));
    if (!batch) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(batch->ValidateFull());
    segment->batches.push_back(std::move(batch));
  }
}

arrow::Status LoadFile(const fs::path& run, const SegmentInfo& info,
                       const std::vector<std::string>& columns, SegmentTable* segment) {
  ParquetReader reader;
  ARROW_RETURN_NOT_OK(OpenSegment(run, info, &reader));
  std::shared_ptr<arrow::Schema> schema;
  ARROW_RETURN_NOT_OK(reader->GetSchema(&schema));
  auto indices = ColumnIndices(*schema, columns);
  for (int group = 0; group < reader->num_row_groups(); ++group) {
    ARROW_ASSIGN_OR_RAISE(const int64_t group_rows, RowsOfGroup(*reader, group));
    if (indices.empty()) {  // only columns that stand in the path, or none that it has
      segment->rows_without_columns += group_rows;
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(auto table, reader->ReadRowGroup(group, indices));
    if (table->num_rows() != group_rows) return arrow::Status::Invalid("rows are missing");
    ARROW_RETURN_NOT_OK(AddBatches(*table, segment));
  }
  return arrow::Status::OK();
}

// The bytes of a plain dictionary: each text behind its length.
bool HoldsText(std::string_view dictionary, std::string_view wanted) {
  while (dictionary.size() >= sizeof(uint32_t)) {
    uint32_t length = 0;
    std::memcpy(&length, dictionary.data(), sizeof length);
    dictionary.remove_prefix(sizeof length);
    if (length > dictionary.size()) return true;  // damaged: whoever reads the rows says so
    if (dictionary.substr(0, length) == wanted) return true;
    dictionary.remove_prefix(length);
  }
  return false;
}

// Whether all values of the column are in its dictionary, as far as the file's end tells.
bool IsAllDictionary(const parquet::ColumnChunkMetaData& chunk) {
  if (!chunk.has_dictionary_page() || chunk.type() != parquet::Type::BYTE_ARRAY) return false;
  bool any = false;
  for (const parquet::PageEncodingStats& pages : chunk.encoding_stats()) {
    if (pages.page_type == parquet::PageType::DICTIONARY_PAGE) continue;
    any = true;
    if (pages.encoding != parquet::Encoding::RLE_DICTIONARY &&
        pages.encoding != parquet::Encoding::PLAIN_DICTIONARY) {
      return false;
    }
  }
  return any;
}

bool GroupMayHold(parquet::ParquetFileReader& file, int group, const ColumnText& wanted) {
  const int column = file.metadata()->schema()->ColumnIndex(wanted.column);
  if (column < 0 || !IsAllDictionary(*file.metadata()->RowGroup(group)->ColumnChunk(column))) {
    return true;
  }
  const auto page = file.RowGroup(group)->GetColumnPageReader(column)->NextPage();
  if (page == nullptr || page->type() != parquet::PageType::DICTIONARY_PAGE) return true;
  return HoldsText({reinterpret_cast<const char*>(page->data()), static_cast<size_t>(page->size())},
                   wanted.text);
}

struct LoadedSegment {
  arrow::Status status;
  SegmentTable table;
};

LoadedSegment LoadSegment(const fs::path& run, const SegmentInfo& segment,
                          const std::vector<std::string>& columns) {
  LoadedSegment loaded;
  loaded.status = WithoutExceptions([&] { return LoadFile(run, segment, columns, &loaded.table); });
  return loaded;
}

template <class Row>
void StampPath(const SegmentInfo& segment, std::span<Row> rows) {
  for (Row& row : rows) {
    if constexpr (kHasNode<Row>) row.node = segment.node;
    if constexpr (kHasRank<Row>) row.rank = segment.rank.value_or(-1);
  }
}

// Nobody shall find a file that no reader can use.
Status ReadBackOrRemove(const fs::path& run, const SegmentInfo& segment,
                        const arrow::RecordBatch& written, ReadsBack reads) {
  Status status = ReadBack(run, segment, written, reads);
  if (!status.ok()) ::unlink((run / segment.file).c_str());
  return status;
}

}  // namespace

template <class Row>
Status WriteParquet(const RowsView<Row>& rows, const StringTable& strings, PathColumns path_columns,
                    int fd, const std::string& where) {
  RowEncoder<Row> encoder(path_columns);
  auto batch = encoder.Encode(rows, strings);
  if (!batch.ok()) {
    return ArrowError("cannot write " + where, batch.status(), "report this as a bug");
  }
  return WriteParquetBatch(**batch, fd, where);
}

template <class Row>
Result<std::shared_ptr<arrow::RecordBatch>> EncodeSegment(const RowsView<Row>& rows,
                                                          const StringTable& strings,
                                                          SegmentInfo* segment) {
  RowEncoder<Row> encoder(PathColumns::kLeaveOut);
  auto batch = encoder.Encode(rows, strings);
  if (!batch.ok()) {
    return ArrowError("cannot encode " + segment->file, batch.status(), "report this as a bug");
  }
  FillFacts(rows, segment);
  return *std::move(batch);
}

Status WriteSegmentFile(const fs::path& run, const arrow::RecordBatch& batch, Sync sync,
                        SegmentInfo* segment) {
  fs::path path = run / segment->file;
  STEPTRACE_RETURN_IF_ERROR(MakeDirs(path.parent_path()));
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, FileModeAt(path)));
  if (!fd.valid()) return SystemError("cannot write " + path.string(), errno);
  Status written = WriteParquetBatch(batch, fd.get(), path.string());
  if (written.ok() && sync == Sync::kNow && ::fdatasync(fd.get()) != 0) {
    written = SystemError("cannot write " + path.string(), errno);
  }
  if (!written.ok()) {
    ::unlink(path.c_str());
    return written.error();
  }
  segment->bytes = ::lseek(fd.get(), 0, SEEK_END);
  segment->footer_crc32 = FooterChecksum(fd.get());
  return {};
}

Status ReadBack(const fs::path& run, const SegmentInfo& segment, const arrow::RecordBatch& written,
                ReadsBack reads) {
  std::vector<int> places;
  for (int i = 0; i < written.num_columns(); ++i) {
    const bool of_texts = written.schema()->field(i)->type()->id() == arrow::Type::DICTIONARY;
    if (of_texts || reads == ReadsBack::kAll) places.push_back(i);
  }
  const arrow::Status status = WithoutExceptions([&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const auto wanted, written.SelectColumns(places));
    std::vector<std::string> columns = wanted->schema()->field_names();
    if (columns.empty()) columns = {""};  // none: its rows are counted alone
    SegmentTable read;
    ARROW_RETURN_NOT_OK(LoadFile(run, segment, columns, &read));
    if (!places.empty()) return SameAsWritten(read.batches, *wanted);
    if (read.rows_without_columns == written.num_rows()) return arrow::Status::OK();
    return arrow::Status::Invalid("rows are missing");
  });
  if (status.ok()) return {};
  return ArrowError("cannot read back what was written to " + segment.file, status,
                    status.IsOutOfMemory() ? "free some memory" : "report this as a bug");
}

template <class Row>
Result<SegmentInfo> WriteSegment(const fs::path& run, SegmentInfo segment,
                                 const RowsView<Row>& rows, const StringTable& strings, Sync sync,
                                 ReadsBack reads) {
  STEPTRACE_ASSIGN_OR_RETURN(auto batch, EncodeSegment(rows, strings, &segment));
  STEPTRACE_RETURN_IF_ERROR(WriteSegmentFile(run, *batch, sync, &segment));
  STEPTRACE_RETURN_IF_ERROR(ReadBackOrRemove(run, segment, *batch, reads));
  return segment;
}

Result<SegmentInfo> WriteSegment(const fs::path& run, SegmentInfo segment,
                                 const SliceColumns& slices, const StringTable& strings, Sync sync,
                                 ReadsBack reads) {
  auto batch = EncodeSlices(slices, strings);
  if (!batch.ok()) {
    return ArrowError("cannot encode " + segment.file, batch.status(), "report this as a bug");
  }
  segment.rows = static_cast<int64_t>(slices.size());
  if (slices.size() > 0) {
    segment.ts_min_ns = slices.ts_ns.front();
    segment.ts_max_ns = slices.ts_ns.back();
  }
  STEPTRACE_RETURN_IF_ERROR(WriteSegmentFile(run, **batch, sync, &segment));
  STEPTRACE_RETURN_IF_ERROR(ReadBackOrRemove(run, segment, **batch, reads));
  return segment;
}

bool MayHoldTexts(const fs::path& run, const SegmentInfo& segment,
                  std::span<const ColumnText> texts) {
  bool may = texts.empty();
  const arrow::Status status = WithoutExceptions([&] {
    ParquetReader reader;
    ARROW_RETURN_NOT_OK(OpenSegment(run, segment, &reader));
    for (int group = 0; group < reader->num_row_groups() && !may; ++group) {
      may = std::all_of(texts.begin(), texts.end(), [&](const ColumnText& text) {
        return GroupMayHold(*reader->parquet_reader(), group, text);
      });
    }
    return arrow::Status::OK();
  });
  return may || !status.ok();
}

template <class Row>
Status ReadSegment(const fs::path& run, const SegmentInfo& segment,
                   const std::vector<std::string>& columns, StringTable& strings,
                   std::vector<Row>* rows) {
  const size_t before = rows->size();
  LoadedSegment loaded = LoadSegment(run, segment, columns);
  RowDecoder<Row> decoder(strings);
  for (auto& batch : loaded.table.batches) {
    if (!loaded.status.ok()) break;
    loaded.status = decoder.Decode(*std::exchange(batch, nullptr), columns, rows);
  }
  if (!loaded.status.ok()) {
    rows->resize(before);
    return ReadError(run, segment, loaded.status);
  }
  rows->resize(rows->size() + static_cast<size_t>(loaded.table.rows_without_columns));
  StampPath(segment, std::span(*rows).subspan(before));
  return {};
}

template <class Row>
Status ReadSegments(const fs::path& run, std::span<const SegmentInfo> segments,
                    const std::vector<std::string>& columns, StringTable& strings,
                    const TakeRows<Row>& take, const SegmentFailed& failed) {
  std::future<LoadedSegment> next;
  const auto load = [&](size_t i) {  // where no thread can be had: when it is asked for
    return std::async(std::launch::async | std::launch::deferred, LoadSegment, run, segments[i],
                      columns);
  };
  std::vector<Row> rows;
  for (size_t i = 0; i < segments.size(); ++i) {
    LoadedSegment loaded = next.valid() ? next.get() : LoadSegment(run, segments[i], columns);
    if (i + 1 < segments.size()) next = load(i + 1);
    RowDecoder<Row> decoder(strings);
    arrow::Status status = loaded.status;
    for (size_t b = 0; status.ok() && b < loaded.table.batches.size(); ++b) {
      rows.clear();
      status = decoder.Decode(*std::exchange(loaded.table.batches[b], nullptr), columns, &rows);
      if (!status.ok()) break;
      StampPath(segments[i], std::span(rows));
      STEPTRACE_RETURN_IF_ERROR(take(rows));
    }
    if (!status.ok()) {
      STEPTRACE_RETURN_IF_ERROR(failed(segments[i], ReadError(run, segments[i], status)));
      continue;
    }
    for (int64_t left = loaded.table.rows_without_columns; left > 0; left -= kHandedRows) {
      rows.assign(static_cast<size_t>(std::min(left, kHandedRows)), Row());
      StampPath(segments[i], std::span(rows));
      STEPTRACE_RETURN_IF_ERROR(take(rows));
    }
  }
  return {};
}

#define STEPTRACE_INSTANTIATE(Row)                                                               \
  template Status WriteParquet(const RowsView<Row>&, const StringTable&, PathColumns, int,       \
                               const std::string&);                                              \
  template Result<std::shared_ptr<arrow::RecordBatch>> EncodeSegment(                            \
      const RowsView<Row>&, const StringTable&, SegmentInfo*);                                   \
  template Result<SegmentInfo> WriteSegment(const fs::path&, SegmentInfo, const RowsView<Row>&,  \
                                            const StringTable&, Sync, ReadsBack);                \
  template Status ReadSegment(const fs::path&, const SegmentInfo&,                               \
                              const std::vector<std::string>&, StringTable&, std::vector<Row>*); \
  template Status ReadSegments(const fs::path&, std::span<const SegmentInfo>,                    \
                               const std::vector<std::string>&, StringTable&,                    \
                               const TakeRows<Row>&, const SegmentFailed&);
STEPTRACE_FOR_EACH_ROW(STEPTRACE_INSTANTIATE)
#undef STEPTRACE_INSTANTIATE

}  // namespace steptrace::store
