// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/redactor.h"
#include "base/result.h"
#include "store/manifest.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::store {

struct WriterOptions {
  int32_t node = 0;
  int64_t journal_bytes = 64 << 20;  // a journal file is closed and the next begun at this size
  int64_t chunk_bytes = 6 << 20;     // rows in memory at once while closing: bounds its RSS
  int64_t pending_bytes = 4 << 20;  // rows of a table kept for a disk that takes none; then counted
  int64_t sync_interval_ms = 1000;  // fdatasync by a thread of its own; 0: none (tests)
  Redactor redactor{};  // of the manifest's command and tags and of rows' texts (redacted_rows.h)
};

// A writer of a run: of the rows of one node. Rows go to journals while the run lives and to
// Parquet segments when it is closed (FORMAT.md). Used by one thread; it announces one more, which
// syncs journals to the disk, and for Close up to four (SegmentQueue). Destroyed without Close, it
// leaves a run that RecoverRun closes.
class RunWriter {
 public:
  // Makes the folder, takes its lock and writes a manifest with status in_progress.
  static Result<RunWriter> Create(const std::filesystem::path& run, Manifest manifest,
                                  const WriterOptions& options = {});
  RunWriter(RunWriter&&) noexcept;
  RunWriter& operator=(RunWriter&&) noexcept;
  ~RunWriter();

  StringTable& strings();
  const std::filesystem::path& run() const;

  // Buffers a row; stamps its node. Rows beyond a batch go to the journal at once.
  template <class Row>
  void Append(const Row& row);

  // Hands all buffered rows to the kernel: they survive the death of this process. On a disk that
  // takes no more it fails once, holds and then counts rows, and tries again with each Flush; what
  // was lost becomes a row of `data_loss`.
  Status Flush();

  // Replaces what the manifest says of the run while it lives (ranks, versions); not its tables. In
  // the thread that syncs, where there is one: a slow disk delays nobody.
  Status UpdateManifest(const Manifest& manifest);

  // Flushes, moves all journals into segments and writes the manifest last. With a disk too full
  // for segments the journals stay, the run is readable, and the error says so.
  Status Close(const Manifest& final_manifest);

 private:
  struct Impl;
  explicit RunWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace steptrace::store
