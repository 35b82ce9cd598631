// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "store/all_tables.h"
#include "store/row_columns.h"
#include "store/run_files.h"

namespace steptrace::store {

inline constexpr const char* kOtherTable = "it holds rows of another table";

// How a journal ends.
enum class JournalEnd {
  kClosed,   // with its end mark
  kOpen,     // after a whole batch: its writer lives or died there
  kCutOff,   // in the middle of a batch
  kDamaged,  // what follows the last good batch is no batch
};

// Reads journals of which nothing is trusted: they may be cut off or damaged at any byte. Every
// batch that it yields is valid through and through. Reads the file as it was when opened.
class JournalReader {
 public:
  static Result<JournalReader> Open(const std::filesystem::path& path);
  static Result<JournalReader> FromFd(UniqueFd fd, const std::string& name);
  JournalReader(JournalReader&&) noexcept;
  ~JournalReader();

  // The next whole batch; nullptr at the end.
  std::shared_ptr<arrow::RecordBatch> Next();

  // Goes on behind the end with what was written since: Next gives it. Not behind damage or an end
  // mark. A file that became shorter is an error.
  Status Continue();

  // After Next gave nullptr:
  JournalEnd end() const { return end_; }
  int64_t unread_bytes() const { return size_ - good_bytes_; }
  const std::string& damage() const { return damage_; }

  // A batch that its taker found unfit ends the journal, as damaged.
  void RejectLast(const std::string& why);

 private:
  class Listener;
  JournalReader() = default;
  void Stop(JournalEnd end, const std::string& damage);
  bool Step();

  UniqueFd fd_;
  int64_t size_ = 0;
  int64_t offset_ = 0;
  int64_t good_bytes_ = 0;   // up to the end of the last good batch
  int64_t before_last_ = 0;  // up to the end of the one before it
  bool done_ = false;
  JournalEnd end_ = JournalEnd::kOpen;
  std::string damage_;
  std::shared_ptr<Listener> listener_;
  std::unique_ptr<arrow::ipc::StreamDecoder> decoder_;
};

// Feeds a journal's rows batch by batch to `take`; the reader then says how the journal ended. The
// rows are of the file's node: its number in the run need not be the one at its writer.
template <class Row>
Result<JournalReader> ReadJournal(const JournalFile& file, StringTable& strings,
                                  const std::vector<std::string>& columns,
                                  const std::function<Status(std::vector<Row>&&)>& take) {
  STEPTRACE_ASSIGN_OR_RETURN(JournalReader reader, JournalReader::Open(file.path));
  RowDecoder<Row> decoder(strings);
  while (auto batch = reader.Next()) {
    std::vector<Row> rows;
    auto decoded = AreColumnsOf<Row>(*batch->schema()) ? decoder.Decode(*batch, columns, &rows)
                                                       : arrow::Status::Invalid(kOtherTable);
    if (!decoded.ok()) {
      reader.RejectLast(decoded.message());
      break;
    }
    if constexpr (kHasNode<Row>) {
      for (Row& row : rows) row.node = file.node;
    }
    STEPTRACE_RETURN_IF_ERROR(take(std::move(rows)));
  }
  return reader;
}

}  // namespace steptrace::store
