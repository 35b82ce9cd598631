// SPDX-License-Identifier: Apache-2.0
#include "store/journal_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/inherited_mode.h"
#include "store/arrow_support.h"
#include "store/run_files.h"

namespace steptrace::store {
namespace {

arrow::ipc::IpcWriteOptions StreamOptions() {
  auto options = arrow::ipc::IpcWriteOptions::Defaults();
  options.memory_pool = Pool();
  options.use_threads = false;
  options.emit_dictionary_deltas = true;  // a batch brings the new names only
  return options;
}

// Most columns of most slices are empty, and slices are nearly all that a run writes. Elsewhere a
// change of columns would cost more (a file) than it saves.
template <class Row>
constexpr bool kLeavesOutEmpty = std::is_same_v<Row, SliceRow>;

}  // namespace

arrow::Status BatchSink::Write(const void* data, int64_t size) {
  bytes.append(static_cast<const char*>(data), static_cast<size_t>(size));
  return arrow::Status::OK();
}

arrow::Status BatchSink::Close() {
  closed_ = true;
  return arrow::Status::OK();
}

arrow::Result<int64_t> BatchSink::Tell() const {
  return dropped_ + static_cast<int64_t>(bytes.size());
}

Result<std::unique_ptr<JournalFileWriter>> JournalFileWriter::Create(
    const std::filesystem::path& path, std::shared_ptr<arrow::Schema> schema) {
  auto journal = std::unique_ptr<JournalFileWriter>(new JournalFileWriter);
  int fd =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FileModeAt(path));
  if (fd < 0) return SystemError("cannot write " + path.string(), errno);
  journal->path_ = path;
  journal->file_ = std::make_shared<UniqueFd>(fd);
  journal->sink_ = std::make_shared<BatchSink>();
  auto writer = arrow::ipc::MakeStreamWriter(journal->sink_, std::move(schema), StreamOptions());
  if (!writer.ok()) {
    return ArrowError("cannot begin " + path.string(), writer.status(), "report this as a bug");
  }
  journal->writer_ = *writer;
  return journal;
}

Status JournalFileWriter::Write(const arrow::RecordBatch& batch) {
  auto encoded = writer_->WriteRecordBatch(batch);
  if (!encoded.ok()) {
    return ArrowError("cannot encode for " + path_.string(), encoded, "report this as a bug");
  }
  return WriteSink();
}

Status JournalFileWriter::WriteSink() {
  std::string& bytes = sink_->bytes;
  int error = WriteAll(file_->get(), bytes.data(), bytes.size());
  if (error != 0) {
    // Half a batch is of no use to anyone; a file without any is removed.
    if (bytes_ == 0) {
      ::unlink(path_.c_str());
    } else if (::ftruncate(file_->get(), bytes_) != 0) {
      error = errno;  // readers stop at the half batch by themselves
    }
    return SystemError("cannot write " + path_.string(), error);
  }
  bytes_ += static_cast<int64_t>(bytes.size());
  sink_->dropped_ = bytes_;
  bytes.clear();
  return {};
}

void JournalFileWriter::Finish() {
  if (writer_->Close().ok()) (void)WriteSink().ok();
}

template <class Row>
Status TableJournal<Row>::Open() {
  auto path = JournalPath(place_.run, place_.folder, TableOf<Row>::kName, next_number_);
  auto encoder = std::make_unique<RowEncoder<Row>>(PathColumns::kInclude, columns_);
  STEPTRACE_ASSIGN_OR_RETURN(file_, JournalFileWriter::Create(path, encoder->schema()));
  encoder_ = std::move(encoder);
  ++next_number_;
  return {};
}

template <class Row>
Status TableJournal<Row>::Write(const RowsView<Row>& rows, const StringTable& strings) {
  columns_ |= kLeavesOutEmpty<Row> ? ColumnsWithValues(rows) : AllColumns<Row>();
  if (file_ && columns_ != encoder_->columns()) Finish();
  if (!file_) STEPTRACE_RETURN_IF_ERROR(Open());
  auto batch = encoder_->Encode(rows, strings);
  if (!batch.ok()) {
    return ArrowError(std::string("cannot encode ") + TableOf<Row>::kName, batch.status(),
                      "report this as a bug");
  }
  Status written = file_->Write(**batch);
  if (!written.ok()) {
    if (file_->bytes() == 0) --next_number_;  // the file is gone again; numbers have no gaps
    file_.reset();
    return written;
  }
  if (place_.sync != nullptr) place_.sync->Add(file_->file());
  if (file_->bytes() >= place_.journal_bytes) Finish();
  return {};
}

template <class Row>
void TableJournal<Row>::Finish() {
  if (file_) file_->Finish();
  file_.reset();
}

#define STEPTRACE_INSTANTIATE(Row) template class TableJournal<Row>;
STEPTRACE_FOR_EACH_ROW(STEPTRACE_INSTANTIATE)
#undef STEPTRACE_INSTANTIATE

}  // namespace steptrace::store
