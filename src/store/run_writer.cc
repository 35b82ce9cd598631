// SPDX-License-Identifier: Apache-2.0
#include "store/run_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <tuple>
#include <vector>

#include "base/inherited_mode.h"
#include "store/all_tables.h"
#include "store/arrow_support.h"
#include "store/compaction.h"
#include "store/journal_writer.h"
#include "store/loss_causes.h"
#include "store/redacted_rows.h"
#include "store/run_files.h"
#include "store/written_manifests.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kBatchBytes = 1 << 20;  // of rows: a batch stays in the processor's cache
constexpr int64_t kReserveBytes = 128
                                  << 10;  // room for the last manifest and losses on a full disk

template <class Row>
size_t RowsIn(int64_t bytes) {
  return std::max<size_t>(1, static_cast<size_t>(bytes) / sizeof(Row));
}

// The rows of one table that are not yet in a journal, and what was lost of them.
template <class Row>
class TableBuffer {
 public:
  TableBuffer(const JournalPlace& place, int64_t pending_bytes)
      : journal_(place), pending_rows_(RowsIn<Row>(std::max(pending_bytes, kBatchBytes))) {}

  bool full() const { return rows_.size() % RowsIn<Row>(kBatchBytes) == 0; }

  void Append(const Row& row, int32_t node) {
    if (rows_.size() >= pending_rows_) return CountLost(row);
    rows_.push_back(row);
    if constexpr (kHasNode<Row>) rows_.back().node = node;
  }

  // Writes what it can; rows that the disk refused stay.
  Status Flush(const StringTable& strings) {
    size_t written = 0;
    Status status;
    while (status.ok() && written < rows_.size()) {
      size_t count = std::min(RowsIn<Row>(kBatchBytes), rows_.size() - written);
      RowsView<Row> view{std::span(rows_).subspan(written, count), {}};
      status = journal_.Write(view, strings);
      if (status.ok()) written += count;
    }
    if (written == rows_.size()) {
      rows_.clear();
    } else {
      rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(written));
    }
    return status;
  }

  void DropPending() {
    for (const Row& row : rows_) CountLost(row);
    rows_.clear();
  }

  std::optional<DataLossRow> TakeLoss(int32_t node, StringTable& strings) {
    if (lost_ == 0) return std::nullopt;
    DataLossRow loss;
    loss.node = node;
    loss.table = strings.Intern(TableOf<Row>::kName);
    loss.cause = strings.Intern(NameOf(LossCause::kDiskRefused));
    loss.count = std::exchange(lost_, 0);
    loss.from_ns = std::exchange(from_ns_, std::nullopt);
    loss.to_ns = std::exchange(to_ns_, std::nullopt);
    loss.detail =
        fmt::format("{} rows of {} found no room on the disk; free space for the next run",
                    loss.count, TableOf<Row>::kName);
    return loss;
  }

  void Finish() { journal_.Finish(); }

 private:
  void CountLost(const Row& row) {
    ++lost_;
    if constexpr (kHasTime<Row>) {
      from_ns_ = std::min(from_ns_.value_or(row.ts_ns), row.ts_ns);
      to_ns_ = std::max(to_ns_.value_or(row.ts_ns), row.ts_ns);
    }
  }

  std::vector<Row> rows_;
  TableJournal<Row> journal_;
  size_t pending_rows_;
  int64_t lost_ = 0;
  std::optional<int64_t> from_ns_;
  std::optional<int64_t> to_ns_;
};

template <class Rows>
struct BuffersOf;
template <class... Rows>
struct BuffersOf<std::tuple<Rows...>> {
  using Type = std::tuple<TableBuffer<Rows>...>;
  static Type Make(const JournalPlace& place, int64_t pending_bytes) {
    return Type(TableBuffer<Rows>(place, pending_bytes)...);
  }
};

// Room that only the end of the run may use. Its absence is no error: it helps on a full disk only.
void TakeReserve(const fs::path& path) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, FileModeAt(path)));
  if (fd.valid()) (void)::posix_fallocate(fd.get(), 0, kReserveBytes);
}

}  // namespace

struct RunWriter::Impl {
  Impl(fs::path run_path, std::string name, const WriterOptions& writer_options, RunLock run_lock)
      : run(std::move(run_path)),
        writer(std::move(name)),
        options(writer_options),
        lock(std::move(run_lock)),
        sync(options.sync_interval_ms > 0 ? std::make_unique<SyncThread>(options.sync_interval_ms)
                                          : nullptr),
        buffers(BuffersOf<AllRows>::Make({run, writer, options.journal_bytes, sync.get()},
                                         options.pending_bytes)) {}

  template <class F>
  void ForEachBuffer(F&& f) {
    std::apply([&](auto&... buffer) { (f(buffer), ...); }, buffers);
  }

  template <class Row>
  void Append(const Row& row) {
    auto& buffer = std::get<TableBuffer<Row>>(buffers);
    if constexpr (kHasTexts<Row>) {
      Row redacted = row;
      RedactTexts(options.redactor, redacted);
      buffer.Append(redacted, options.node);
    } else {
      buffer.Append(row, options.node);
    }
    if (!refused && buffer.full()) Note(buffer.Flush(strings));
  }

  // An error is kept for Flush to tell, once until the disk takes rows again.
  void Note(const Status& status) {
    if (status.ok()) return;
    if (!refused) unreported = status;
    refused = true;
  }

  Status Flush() {
    bool all_written = true;
    ForEachBuffer([&](auto& buffer) {
      Status status = buffer.Flush(strings);
      all_written = all_written && status.ok();
      Note(status);
    });
    if (all_written && refused) {
      refused = false;
      for (const DataLossRow& loss : TakeLosses()) Append(loss);
      Note(std::get<TableBuffer<DataLossRow>>(buffers).Flush(strings));
    }
    int sync_error = sync ? sync->TakeError() : 0;
    if (sync_error != 0 && unreported.ok()) {
      unreported = SystemError("cannot sync the journal of " + run.string(), sync_error);
    }
    return std::exchange(unreported, Status());
  }

  std::vector<DataLossRow> TakeLosses() {
    std::vector<DataLossRow> losses;
    ForEachBuffer([&](auto& buffer) {
      auto loss = buffer.TakeLoss(options.node, strings);
      if (loss) losses.push_back(*std::move(loss));
    });
    return losses;
  }

  Status Close(const Manifest& final_manifest) {
    std::error_code ignored;
    fs::remove(JournalDir(run, writer) / kReserveName, ignored);
    (void)Flush().ok();  // what it could not write is counted below
    ForEachBuffer([](auto& buffer) {
      buffer.DropPending();
      buffer.Finish();
    });
    sync.reset();
    Adopt(final_manifest);
    CompactionOptions compaction;
    compaction.chunk_bytes = options.chunk_bytes;
    compaction.losses = TakeLosses();
    return CloseRun(run, &manifest, strings, compaction);
  }

  // A caller's manifest, with what only the store knows.
  void Adopt(Manifest other) {
    other.format = kFormatNumber;
    other.writer = writer;
    other.journal_nodes = {{writer, options.node}};
    other.damaged.clear();
    other.tables = std::move(manifest.tables);
    other.writer_pid = ::getpid();
    other.command = options.redactor.Words(other.command);
    for (auto& [tag, value] : other.identity.tags) value = options.redactor.Member(tag, value);
    manifest = std::move(other);
  }

  fs::path run;
  std::string writer;
  WriterOptions options;
  RunLock lock;
  std::unique_ptr<SyncThread> sync;
  Manifest manifest;
  StringTable strings;
  BuffersOf<AllRows>::Type buffers;
  bool refused = false;  // the disk took no rows when last asked
  Status unreported;
};

RunWriter::RunWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunWriter::RunWriter(RunWriter&&) noexcept = default;
RunWriter& RunWriter::operator=(RunWriter&&) noexcept = default;
RunWriter::~RunWriter() = default;

Result<RunWriter> RunWriter::Create(const fs::path& run, Manifest manifest,
                                    const WriterOptions& options) {
  if (HasManifest(run)) {
    return Error{run.string() + ": there is a run in this folder", "choose another with --output"};
  }
  const std::string writer = OwnWriterName();
  STEPTRACE_RETURN_IF_ERROR(MakeDirs(JournalDir(run, writer)));
  STEPTRACE_ASSIGN_OR_RETURN(RunLock lock, RunLock::Take(run, writer));
  auto impl = std::make_unique<Impl>(run, writer, options, std::move(lock));
  manifest.status = kStatusInProgress;
  manifest.tables.clear();
  impl->Adopt(std::move(manifest));
  STEPTRACE_RETURN_IF_ERROR(WriteManifest(run, impl->manifest));
  TakeReserve(JournalDir(run, writer) / kReserveName);
  return RunWriter(std::move(impl));
}

StringTable& RunWriter::strings() {
  return impl_->strings;
}
const fs::path& RunWriter::run() const {
  return impl_->run;
}

template <class Row>
void RunWriter::Append(const Row& row) {
  impl_->Append(row);
}

Status RunWriter::Flush() {
  return impl_->Flush();
}

Status RunWriter::UpdateManifest(const Manifest& manifest) {
  impl_->Adopt(manifest);
  impl_->manifest.status = kStatusInProgress;
  if (impl_->sync == nullptr) return WriteManifest(impl_->run, impl_->manifest);
  // A disk that refuses leaves the one before.
  impl_->sync->Do(
      [run = impl_->run, manifest = impl_->manifest] { (void)WriteManifest(run, manifest).ok(); });
  return {};
}

Status RunWriter::Close(const Manifest& final_manifest) {
  return impl_->Close(final_manifest);
}

#define STEPTRACE_INSTANTIATE(Row) template void RunWriter::Append(const Row&);
STEPTRACE_FOR_EACH_ROW(STEPTRACE_INSTANTIATE)
#undef STEPTRACE_INSTANTIATE

}  // namespace steptrace::store
