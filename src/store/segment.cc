// SPDX-License-Identifier: Apache-2.0
#include "store/segment.h"

#include <arrow/io/file.h>
#include <arrow/table.h>
#include <arrow/util/key_value_metadata.h>
#include <fcntl.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "store/arrow_support.h"
#include "store/column_encoding.h"
#include "store/run_files.h"
#include "store/slice_encoder.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

// Part of the format: a row group has no more. Without a limit a damaged file asks for any memory.
constexpr int64_t kMostGroupRows = 1 << 20;
constexpr const char* kDamagedNext = "restore the file, or remove its entry from run.json";

// parquet-cpp throws in places where Arrow returns.
template <class F>
arrow::Status WithoutExceptions(F&& f) {
  try {
    return f();
  } catch (const std::exception& failed) {
    return arrow::Status::IOError(failed.what());
  }
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

template <class Row>
void FillFacts(const RowsView<Row>& rows, SegmentInfo* segment) {
  segment->rows = static_cast<int64_t>(rows.size());
  if constexpr (kHasTime<Row>) {
    if (rows.size() == 0) return;
    segment->ts_min_ns = rows[0].ts_ns;
    segment->ts_max_ns = rows[rows.size() - 1].ts_ns;
  }
}

// `encode` makes the batch.
template <class F>
Status WriteEncoded(int fd, const std::string& where, F&& encode) {
  auto sink = std::make_shared<FdOutputStream>(fd);
  auto status = WithoutExceptions([&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(auto batch, encode());
    return WriteBatch(*batch, sink);
  });
  if (sink->error_number() != 0) return SystemError("cannot write " + where, sink->error_number());
  if (!status.ok()) return ArrowError("cannot write " + where, status, "report this as a bug");
  return {};
}

// Makes the segment's file, which `write` fills. One that could not be finished is removed.
template <class F>
Result<SegmentInfo> WriteFile(const fs::path& run, SegmentInfo segment, Sync sync, F&& write) {
  fs::path path = run / segment.file;
  STEPTRACE_RETURN_IF_ERROR(MakeDirs(path.parent_path()));
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd.valid()) return SystemError("cannot write " + path.string(), errno);
  Status written = write(fd.get(), path.string());
  if (written.ok() && sync == Sync::kNow && ::fdatasync(fd.get()) != 0) {
    written = SystemError("cannot write " + path.string(), errno);
  }
  if (!written.ok()) {
    ::unlink(path.c_str());
    return written.error();
  }
  segment.bytes = ::lseek(fd.get(), 0, SEEK_END);
  return segment;
}

using FileReader = std::unique_ptr<parquet::arrow::FileReader>;

arrow::Status OpenParquet(const fs::path& path, FileReader* reader) {
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(path.string(), Pool()));
  parquet::arrow::FileReaderBuilder builder;
  parquet::ReaderProperties file_properties(Pool());
  file_properties.set_page_checksum_verification(true);
  ARROW_RETURN_NOT_OK(builder.Open(file, file_properties));
  auto properties = parquet::default_arrow_reader_properties();
  properties.set_use_threads(false);
  properties.set_pre_buffer(false);
  builder.memory_pool(Pool())->properties(properties);
  ARROW_ASSIGN_OR_RAISE(*reader, builder.Build());
  return arrow::Status::OK();
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
arrow::Status DecodeTable(const arrow::Table& table, const std::vector<std::string>& columns,
                          RowDecoder<Row>* decoder, std::vector<Row>* rows) {
  arrow::TableBatchReader batches(table);
  std::shared_ptr<arrow::RecordBatch> batch;
  while (true) {
    ARROW_RETURN_NOT_OK(batches.ReadNext(&batch));
    if (!batch) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(batch->ValidateFull());
    ARROW_RETURN_NOT_OK(decoder->Decode(*batch, columns, rows));
  }
}

template <class Row>
arrow::Status DecodeFile(const fs::path& path, const std::vector<std::string>& columns,
                         StringTable& strings, std::vector<Row>* rows) {
  FileReader reader;
  ARROW_RETURN_NOT_OK(OpenParquet(path, &reader));
  std::shared_ptr<arrow::Schema> schema;
  ARROW_RETURN_NOT_OK(reader->GetSchema(&schema));
  auto indices = ColumnIndices(*schema, columns);
  auto metadata = reader->parquet_reader()->metadata();
  RowDecoder<Row> decoder(strings);
  for (int group = 0; group < reader->num_row_groups(); ++group) {
    int64_t group_rows = metadata->RowGroup(group)->num_rows();
    if (group_rows < 0 || group_rows > kMostGroupRows) {
      return arrow::Status::Invalid("a row group of ", group_rows, " rows");
    }
    if (indices.empty()) {  // only columns that stand in the path, or none that it has
      rows->resize(rows->size() + static_cast<size_t>(group_rows));
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(auto table, reader->ReadRowGroup(group, indices));
    if (table->num_rows() != group_rows) return arrow::Status::Invalid("rows are missing");
    ARROW_RETURN_NOT_OK(DecodeTable(*table, columns, &decoder, rows));
  }
  return arrow::Status::OK();
}

template <class Row>
void StampPath(const SegmentInfo& segment, std::span<Row> rows) {
  for (Row& row : rows) {
    if constexpr (kHasNode<Row>) row.node = segment.node;
    if constexpr (kHasRank<Row>) row.rank = segment.rank.value_or(-1);
  }
}

}  // namespace

template <class Row>
Status WriteParquet(const RowsView<Row>& rows, const StringTable& strings, PathColumns path_columns,
                    int fd, const std::string& where) {
  return WriteEncoded(fd, where,
                      [&] { return RowEncoder<Row>(path_columns).Encode(rows, strings); });
}

template <class Row>
Result<SegmentInfo> WriteSegment(const fs::path& run, SegmentInfo segment,
                                 const RowsView<Row>& rows, const StringTable& strings, Sync sync) {
  FillFacts(rows, &segment);
  return WriteFile(run, std::move(segment), sync, [&](int fd, const std::string& where) {
    return WriteParquet(rows, strings, PathColumns::kLeaveOut, fd, where);
  });
}

Result<SegmentInfo> WriteSegment(const fs::path& run, SegmentInfo segment,
                                 const SliceColumns& slices, const StringTable& strings,
                                 Sync sync) {
  segment.rows = static_cast<int64_t>(slices.size());
  if (slices.size() > 0) {
    segment.ts_min_ns = slices.ts_ns.front();
    segment.ts_max_ns = slices.ts_ns.back();
  }
  return WriteFile(run, std::move(segment), sync, [&](int fd, const std::string& where) {
    return WriteEncoded(fd, where, [&] { return EncodeSlices(slices, strings); });
  });
}

template <class Row>
Status ReadSegment(const fs::path& run, const SegmentInfo& segment,
                   const std::vector<std::string>& columns, StringTable& strings,
                   std::vector<Row>* rows) {
  fs::path path = run / segment.file;
  size_t before = rows->size();
  auto status = WithoutExceptions([&] { return DecodeFile(path, columns, strings, rows); });
  if (!status.ok()) {
    rows->resize(before);
    return ArrowError("cannot read " + path.string(), status, kDamagedNext);
  }
  StampPath(segment, std::span(*rows).subspan(before));
  return {};
}

#define STEPTRACE_INSTANTIATE(Row)                                                              \
  template Status WriteParquet(const RowsView<Row>&, const StringTable&, PathColumns, int,      \
                               const std::string&);                                             \
  template Result<SegmentInfo> WriteSegment(const fs::path&, SegmentInfo, const RowsView<Row>&, \
                                            const StringTable&, Sync);                          \
  template Status ReadSegment(const fs::path&, const SegmentInfo&,                              \
                              const std::vector<std::string>&, StringTable&, std::vector<Row>*);
STEPTRACE_FOR_EACH_ROW(STEPTRACE_INSTANTIATE)

}  // namespace steptrace::store
