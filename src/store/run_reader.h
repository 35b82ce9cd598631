// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/damaged_segments.h"
#include "store/manifest.h"
#include "store/read_options.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::store {

enum class RunState {
  kLive,    // a writer holds it: rows may still come
  kClosed,  // final
  kDead,    // in progress by its manifest, but no writer holds it: RecoverRun closes it
};

// Reads a run: closed, live and interrupted ones alike. One thread. Each Read sees the rows that
// are in the files at that moment; a row half written is left for the next time.
class RunReader {
 public:
  static Result<RunReader> Open(const std::filesystem::path& run);
  RunReader(RunReader&&) noexcept;
  RunReader& operator=(RunReader&&) noexcept;
  ~RunReader();

  const std::filesystem::path& run() const;
  // As of the last Open or Refresh; the status of a dead run reads `interrupted`.
  const Manifest& manifest() const;
  RunState state() const;
  // Segments that the reads leave out: their files are gone or cut off or, once a read met them,
  // damaged within. They are not in `manifest`, and are rows of `data_loss`.
  const std::vector<DamagedSegment>& damaged() const;
  Status Refresh();

  // The texts of the rows that were read; rows of one reader share them.
  StringTable& strings();
  const std::string& Text(StringId id) const;

  // All parts of the table, by ts_ns (tables without it: in the order of writing). `data_loss` ends
  // with `damaged` as far as it is known by then and, for a dead run, with the rows that RecoverRun
  // would add.
  template <class Row>
  Result<std::vector<Row>> Read(const ReadOptions& options = {});

  // The rows of one segment as they stand; none, and it is in `damaged`, of one that is damaged.
  template <class Row>
  Status ReadPart(const SegmentInfo& segment, const std::vector<std::string>& columns,
                  std::vector<Row>* rows);

  // The same rows batch by batch, so that they are never in memory together: of a closed run by
  // time within a part, of others as Read has them. An error from `take` ends it.
  template <class Row>
  using TakeRows = std::function<Status(std::span<const Row>)>;
  template <class Row>
  Status ReadBatches(const ReadOptions& options, const TakeRows<Row>& take);

  // Number of rows, without reading them where the manifest knows it.
  Result<int64_t> CountRows(const std::string& table);

  // Writes a table to an open file or pipe, by ts_ns, in bounded memory. An Arrow stream may
  // replace its dictionaries between batches. The file stays open.
  Status Scan(const std::string& table, const ScanOptions& options, int fd);

 private:
  struct Impl;
  explicit RunReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace steptrace::store
