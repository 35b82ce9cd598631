// SPDX-License-Identifier: Apache-2.0
#include "store/run_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/shell_word.h"
#include "store/all_tables.h"
#include "store/journal_losses.h"
#include "store/journal_reader.h"
#include "store/loss_causes.h"
#include "store/run_parts.h"
#include "store/scan.h"
#include "store/segment.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

// A writer that closes the run moves rows from journals to segments under a reader's eyes; once it
// has done so it never does again.
constexpr int kReadings = 3;

bool SameParts(const Manifest& a, const Manifest& b, const std::string& table) {
  auto absorbed = [&](const Manifest& manifest) {
    auto parts = manifest.tables.find(table);
    return parts == manifest.tables.end() ? std::map<std::string, int32_t>()
                                          : parts->second.absorbed_journals;
  };
  return absorbed(a) == absorbed(b);
}

}  // namespace

struct RunReader::Impl {
  Status Refresh() {
    STEPTRACE_ASSIGN_OR_RETURN(Manifest fresh, ReadManifest(run));
    manifest = std::move(fresh);
    damaged = LeaveOutDamaged(run, &manifest);
    for (const DamagedSegment& part : damaged_within) {
      if (TakeOut(part.table, part.segment)) damaged.push_back(part);
    }
    state = RunState::kClosed;
    if (manifest.status != kStatusInProgress) return {};
    state = RunLock::IsHeld(run) ? RunState::kLive : RunState::kDead;
    if (state == RunState::kDead) manifest.status = kStatusInterrupted;
    return {};
  }

  // False: the manifest does not name it.
  bool TakeOut(const std::string& table, const SegmentInfo& segment) {
    const auto parts = manifest.tables.find(table);
    if (parts == manifest.tables.end()) return false;
    return std::erase_if(parts->second.segments,
                         [&](const SegmentInfo& other) { return other.file == segment.file; }) > 0;
  }

  // An error where it is not the file that is at fault.
  Status LeaveOut(const std::string& table, const SegmentInfo& segment, const Error& failed) {
    STEPTRACE_ASSIGN_OR_RETURN(DamagedSegment found, DescribeDamage(run, table, segment, failed));
    if (!TakeOut(table, found.segment)) return {};  // told already
    damaged_within.push_back(found);
    damaged.push_back(std::move(found));
    return {};
  }

  template <class Row>
  Status ReadPart(const SegmentInfo& segment, const std::vector<std::string>& columns,
                  std::vector<Row>* rows) {
    const Status read = ReadSegment(run, segment, columns, strings, rows);
    return read.ok() ? read : LeaveOut(TableOf<Row>::kName, segment, read.error());
  }

  template <class Row>
  Status ReadParts(const ReadOptions& options, std::vector<Row>* rows) {
    auto columns = ColumnsToRead<Row>(options);
    PartsOfTable parts = FindParts(run, manifest, TableOf<Row>::kName);
    std::erase_if(parts.segments,
                  [&](const SegmentInfo& segment) { return !MayHold(segment, options); });
    int64_t expected = 0;
    for (const SegmentInfo& segment : parts.segments)
      expected += std::max<int64_t>(segment.rows, 0);
    constexpr int64_t kMostReserved = 1 << 24;  // the number comes from a file
    rows->reserve(static_cast<size_t>(std::min(expected, kMostReserved)));
    auto unwanted = [&](const Row& row) { return !IsWanted(row, options); };
    for (const SegmentInfo& segment : parts.segments) {
      STEPTRACE_RETURN_IF_ERROR(ReadPart(segment, columns, rows));
    }
    std::erase_if(*rows, unwanted);
    for (const JournalFile& file : parts.journals) {
      auto reader = ReadJournal<Row>(file, strings, columns, [&](std::vector<Row>&& batch) {
        std::erase_if(batch, unwanted);
        std::move(batch.begin(), batch.end(), std::back_inserter(*rows));
        return Status();
      });
      if (!reader.ok()) return reader.error();
    }
    return {};
  }

  // Does `f`, again when the writer has moved the table's rows meanwhile.
  template <class F>
  Status OnStableParts(const std::string& table, F&& f) {
    for (int i = 1;; ++i) {
      Status status = f();
      if (state == RunState::kClosed || i == kReadings) return status;
      Manifest before = manifest;
      STEPTRACE_RETURN_IF_ERROR(Refresh());
      if (SameParts(before, manifest, table)) return status;
    }
  }

  template <class Row>
  Result<std::vector<Row>> Read(const ReadOptions& options) {
    std::vector<Row> rows;
    STEPTRACE_RETURN_IF_ERROR(OnStableParts(TableOf<Row>::kName, [&] {
      rows.clear();
      return ReadParts(options, &rows);
    }));
    if constexpr (std::is_same_v<Row, DataLossRow>) {
      STEPTRACE_RETURN_IF_ERROR(AppendLosses(&rows));
    }
    SortByTime(&rows);
    return rows;
  }

  template <class Row>
  Status ReadBatches(const ReadOptions& options, const TakeRows<Row>& take) {
    // A writer may move rows meanwhile: only whole reads hold. Losses are few, and not all in
    // files.
    if (state != RunState::kClosed || std::is_same_v<Row, DataLossRow>) {
      STEPTRACE_ASSIGN_OR_RETURN(auto rows, Read<Row>(options));
      return rows.empty() ? Status() : take(rows);
    }
    PartsOfTable parts = FindParts(run, manifest, TableOf<Row>::kName);
    std::erase_if(parts.segments,
                  [&](const SegmentInfo& segment) { return !MayHold(segment, options); });
    const TakeRows<Row> keep = [&](std::span<const Row> rows) -> Status {
      const auto wanted = [&](const Row& row) { return IsWanted(row, options); };
      if (std::all_of(rows.begin(), rows.end(), wanted)) return take(rows);
      std::vector<Row> some;
      std::copy_if(rows.begin(), rows.end(), std::back_inserter(some), wanted);
      return some.empty() ? Status() : take(some);
    };
    STEPTRACE_RETURN_IF_ERROR(
        ReadSegments<Row>(run, parts.segments, ColumnsToRead<Row>(options), strings, keep,
                          [&](const SegmentInfo& segment, const Error& failed) {
                            return LeaveOut(TableOf<Row>::kName, segment, failed);
                          }));
    for (const JournalFile& file : parts.journals) {
      auto reader = ReadJournal<Row>(file, strings, ColumnsToRead<Row>(options),
                                     [&](std::vector<Row>&& rows) { return keep(rows); });
      if (!reader.ok()) return reader.error();
    }
    return {};
  }

  // What no file tells: segments that are damaged, and what RecoverRun would add to a dead run.
  Status AppendLosses(std::vector<DataLossRow>* rows) {
    for (const DamagedSegment& segment : damaged) rows->push_back(LossOf(segment, strings));
    for (const std::string& why : manifest.damaged) rows->push_back(DamagedManifestLoss(why));
    if (state != RunState::kDead) return {};
    STEPTRACE_ASSIGN_OR_RETURN(auto losses, JournalLosses(run, manifest, strings));
    rows->insert(rows->end(), losses.begin(), losses.end());
    rows->push_back(AgentGapLoss(run, manifest, strings));
    return {};
  }

  DataLossRow DamagedManifestLoss(const std::string& why) {
    DataLossRow row;
    row.cause = strings.Intern(NameOf(LossCause::kManifestDamaged));
    row.count = -1;
    row.detail = fmt::format("{}; the one before it is read; `steptrace recover {}` makes it anew",
                             why, ShellWord(run.string()));
    return row;
  }

  Result<int64_t> CountRows(const std::string& table) {
    int64_t count = 0;
    STEPTRACE_RETURN_IF_ERROR(OnStableParts(table, [&] { return CountParts(table, &count); }));
    return count;
  }

  Status CountParts(const std::string& table, int64_t* count) {
    *count = 0;
    PartsOfTable parts = FindParts(run, manifest, table);
    for (const SegmentInfo& segment : parts.segments) *count += segment.rows;
    for (const JournalFile& file : parts.journals) {
      STEPTRACE_ASSIGN_OR_RETURN(JournalReader reader, JournalReader::Open(file.path));
      while (auto batch = reader.Next()) *count += batch->num_rows();
    }
    return {};
  }

  fs::path run;
  Manifest manifest;
  std::vector<DamagedSegment> damaged;         // not in `manifest`
  std::vector<DamagedSegment> damaged_within;  // of them those that only reading found
  RunState state = RunState::kClosed;
  StringTable strings;
};

RunReader::RunReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunReader::RunReader(RunReader&&) noexcept = default;
RunReader& RunReader::operator=(RunReader&&) noexcept = default;
RunReader::~RunReader() = default;

Result<RunReader> RunReader::Open(const fs::path& run) {
  auto impl = std::make_unique<Impl>();
  impl->run = run;
  STEPTRACE_RETURN_IF_ERROR(impl->Refresh());
  return RunReader(std::move(impl));
}

const fs::path& RunReader::run() const {
  return impl_->run;
}
const Manifest& RunReader::manifest() const {
  return impl_->manifest;
}
RunState RunReader::state() const {
  return impl_->state;
}
const std::vector<DamagedSegment>& RunReader::damaged() const {
  return impl_->damaged;
}
Status RunReader::Refresh() {
  return impl_->Refresh();
}
StringTable& RunReader::strings() {
  return impl_->strings;
}
const std::string& RunReader::Text(StringId id) const {
  return impl_->strings.Text(id);
}
Result<int64_t> RunReader::CountRows(const std::string& table) {
  return impl_->CountRows(table);
}

template <class Row>
Result<std::vector<Row>> RunReader::Read(const ReadOptions& options) {
  return impl_->Read<Row>(options);
}

template <class Row>
Status RunReader::ReadPart(const SegmentInfo& segment, const std::vector<std::string>& columns,
                           std::vector<Row>* rows) {
  return impl_->ReadPart(segment, columns, rows);
}

template <class Row>
Status RunReader::ReadBatches(const ReadOptions& options, const TakeRows<Row>& take) {
  return impl_->ReadBatches<Row>(options, take);
}

Status RunReader::Scan(const std::string& table, const ScanOptions& options, int fd) {
  // Written rows cannot be taken back: a run that closes meanwhile is scanned as it was found.
  STEPTRACE_RETURN_IF_ERROR(impl_->Refresh());
  const ScanHooks hooks = {
      .failed = [this, &table](
                    const SegmentInfo& segment,
                    const Error& failed) { return impl_->LeaveOut(table, segment, failed); },
      .more_losses = [this](std::vector<DataLossRow>* rows) { return impl_->AppendLosses(rows); }};
  return ScanTable(impl_->run, impl_->manifest, impl_->strings, table, hooks, options, fd);
}

#define STEPTRACE_INSTANTIATE(Row)                                                         \
  template Result<std::vector<Row>> RunReader::Read(const ReadOptions&);                   \
  template Status RunReader::ReadPart(const SegmentInfo&, const std::vector<std::string>&, \
                                      std::vector<Row>*);                                  \
  template Status RunReader::ReadBatches(const ReadOptions&, const TakeRows<Row>&);
STEPTRACE_FOR_EACH_ROW(STEPTRACE_INSTANTIATE)
#undef STEPTRACE_INSTANTIATE

}  // namespace steptrace::store
