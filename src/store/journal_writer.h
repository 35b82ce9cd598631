// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/ipc/writer.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "store/row_columns.h"
#include "store/sync_thread.h"

namespace steptrace::store {

// Where a table's journals go and how large one grows.
struct JournalPlace {
  std::filesystem::path run;
  std::string folder;  // the writer's name
  int64_t journal_bytes = 0;
  SyncThread* sync = nullptr;  // may be absent
};

// Collects the bytes of a batch, so that it reaches the file by one write or not at all.
class BatchSink : public arrow::io::OutputStream {
 public:
  arrow::Status Write(const void* data, int64_t size) override;
  arrow::Status Flush() override { return arrow::Status::OK(); }
  arrow::Status Close() override;
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override;
  using arrow::io::OutputStream::Write;

  std::string bytes;

 private:
  int64_t dropped_ = 0;
  bool closed_ = false;

  friend class JournalFileWriter;
};

// One journal: an Arrow IPC stream on a file, whole batch by whole batch.
class JournalFileWriter {
 public:
  static Result<std::unique_ptr<JournalFileWriter>> Create(const std::filesystem::path& path,
                                                           std::shared_ptr<arrow::Schema> schema);
  // On failure the file ends after the last batch that it took, and takes no more.
  Status Write(const arrow::RecordBatch& batch);
  // Ends the stream. What cannot be written of the end is not missed by readers.
  void Finish();

  int64_t bytes() const { return bytes_; }
  const std::shared_ptr<UniqueFd>& file() const { return file_; }

 private:
  JournalFileWriter() = default;
  Status WriteSink();

  std::filesystem::path path_;
  std::shared_ptr<UniqueFd> file_;
  std::shared_ptr<BatchSink> sink_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
  int64_t bytes_ = 0;
};

// The journals of one table of one writer. A new one is begun at the size limit, after a failure,
// because a stream whose last batch failed cannot be gone on with, and for slices that fill a
// column that was empty before and that the stream therefore lacks: once a column at most.
template <class Row>
class TableJournal {
 public:
  explicit TableJournal(JournalPlace place) : place_(std::move(place)) {}

  Status Write(const RowsView<Row>& rows, const StringTable& strings);
  void Finish();

 private:
  Status Open();

  JournalPlace place_;
  ColumnSet columns_ = 0;  // that ever held a value
  int32_t next_number_ = 0;
  std::unique_ptr<RowEncoder<Row>> encoder_;
  std::unique_ptr<JournalFileWriter> file_;
};

}  // namespace steptrace::store
