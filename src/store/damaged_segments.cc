// SPDX-License-Identifier: Apache-2.0
#include "store/damaged_segments.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/shell_word.h"
#include "store/add_rows.h"
#include "store/all_tables.h"
#include "store/arrow_support.h"
#include "store/loss_causes.h"
#include "store/run_files.h"
#include "store/salvage.h"
#include "store/segment.h"
#include "store/written_manifests.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

// No file of the run is at fault: whoever tries again may have it.
bool IsOfProcess(int error_number) {
  return error_number == EMFILE || error_number == ENFILE || error_number == ENOMEM;
}

constexpr const char* kFromACopy = "restore it from a copy";

Error Gone() {
  return {"the file is gone", kFromACopy};
}

// What its size alone tells to be wrong with a segment's file.
std::optional<Error> WrongSize(const fs::path& run, const SegmentInfo& segment) {
  struct stat facts {};
  if (::stat((run / segment.file).c_str(), &facts) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return Gone();
    return std::nullopt;  // no right to see it, say: reading it tells
  }
  if (!S_ISREG(facts.st_mode)) return Error{"not a regular file", kFromACopy};
  // Formats of before wrote no sizes.
  if (segment.bytes <= 0 || facts.st_size == segment.bytes) return std::nullopt;
  return Error{fmt::format("{} of its {} bytes are there", int64_t{facts.st_size}, segment.bytes),
               kFromACopy};
}

// Whether the system gives all of the file: what fails then is what stands in it.
Status ReadWhole(const fs::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return SystemError("cannot read " + path.string(), errno);
  std::vector<char> buffer(1 << 20);
  ssize_t got = 0;
  while ((got = ::read(fd.get(), buffer.data(), buffer.size())) != 0) {
    if (got < 0 && errno != EINTR) return SystemError("cannot read " + path.string(), errno);
  }
  return {};
}

// Why a file of the right size cannot be used as it is; nothing: all is well.
template <class Row>
Result<std::optional<std::string>> WrongContents(const fs::path& run, const SegmentInfo& segment) {
  STEPTRACE_RETURN_IF_ERROR(ReadWhole(run / segment.file));
  StringTable strings;
  std::vector<Row> rows;
  const Status status = ReadSegment(run, segment, {}, strings, &rows);
  if (!status.ok()) {
    if (status.error().kind == Error::Kind::kOutOfMemory) return status.error();
    return std::optional<std::string>("its contents are damaged");
  }
  if (static_cast<int64_t>(rows.size()) == segment.rows) return std::optional<std::string>();
  return std::optional(fmt::format("{} of its {} rows are there", rows.size(), segment.rows));
}

// A damaged segment on its way out of the run.
struct Removal {
  DamagedSegment damaged;
  std::optional<SegmentInfo> kept;  // what is sound of it, written already
  std::vector<std::string> lost_columns;
};

// Writes what is sound of it to a file of its own.
template <class Row>
Status Keep(const fs::path& run, const std::string& writer, size_t segments, Removal* removal) {
  const SegmentInfo& segment = removal->damaged.segment;
  StringTable strings;
  STEPTRACE_ASSIGN_OR_RETURN(auto kept, SalvageSegment<Row>(run, segment, strings));
  if (kept.rows.empty()) return {};
  SegmentInfo place;
  place.node = segment.node;
  place.rank = segment.rank;
  const int64_t number = FreeSegmentNumber(run, TableOf<Row>::kName, writer, segment.node,
                                           segment.rank, static_cast<int64_t>(segments));
  place.file = SegmentFile(TableOf<Row>::kName, writer, segment.node, segment.rank, number);
  STEPTRACE_ASSIGN_OR_RETURN(
      removal->kept, WriteSegment(run, std::move(place), RowsView<Row>{kept.rows, {}}, strings));
  removal->damaged.kept_rows = removal->kept->rows;
  removal->lost_columns = std::move(kept.lost_columns);
  return {};
}

// The losses of it: rows that are gone, and columns of which those that are kept know nothing.
void AddLosses(const Removal& removal, StringTable& strings, std::vector<DataLossRow>* losses) {
  DataLossRow row = LossOf(removal.damaged, strings);
  if (row.count > 0 || !removal.kept) losses->push_back(row);
  row.cause = strings.Intern(NameOf(LossCause::kColumnDamaged));
  row.count = removal.damaged.kept_rows;
  for (const std::string& column : removal.lost_columns) {
    row.detail = fmt::format("{}: the column '{}' could not be read; it was put aside in {}/",
                             removal.damaged.segment.file, column, kDamagedFolder);
    losses->push_back(row);
  }
}

// Takes out of `manifest` what `find` has a word against.
template <class Find>
std::vector<DamagedSegment> TakeOut(Manifest* manifest, Find&& find) {
  std::vector<DamagedSegment> damaged;
  for (auto& entry : manifest->tables) {
    const std::string& table = entry.first;
    std::erase_if(entry.second.segments, [&](const SegmentInfo& segment) {
      std::optional<Error> why = find(table, segment);
      if (why) damaged.push_back({table, segment, *std::move(why)});
      return why.has_value();
    });
  }
  return damaged;
}

// Adds a segment that has to leave the run, with what is kept of it.
template <class Row>
Status Inspect(const fs::path& run, const std::string& writer, const SegmentInfo& segment,
               size_t segments, std::vector<Removal>* removals) {
  if (WrongSize(run, segment)) return {};
  STEPTRACE_ASSIGN_OR_RETURN(const auto wrong, WrongContents<Row>(run, segment));
  if (!wrong) return {};
  Removal removal;
  removal.damaged = {TableOf<Row>::kName,
                     segment,
                     {*wrong, fmt::format("it was put aside in {}/", kDamagedFolder)}};
  STEPTRACE_RETURN_IF_ERROR(Keep<Row>(run, writer, segments, &removal));
  removals->push_back(std::move(removal));
  return {};
}

Result<std::vector<Removal>> FindRemovals(const fs::path& run, const Manifest& manifest) {
  std::vector<Removal> removals;
  for (const auto& entry : manifest.tables) {
    const std::vector<SegmentInfo>& segments = entry.second.segments;
    for (const SegmentInfo& segment : segments) {
      Status status;
      VisitTable(entry.first, [&]<class Row>() {
        status = Inspect<Row>(run, manifest.writer, segment, segments.size(), &removals);
      });
      STEPTRACE_RETURN_IF_ERROR(status);
    }
  }
  return removals;
}

// Puts what was kept in the place of what is damaged.
Status Exchange(const fs::path& run, const std::string& writer,
                const std::vector<Removal>& removals) {
  STEPTRACE_ASSIGN_OR_RETURN(WriterManifest found, ReadWriter(run, writer));
  Manifest& manifest = found.manifest;
  for (const Removal& removal : removals) {
    auto& segments = manifest.tables[removal.damaged.table].segments;
    std::erase_if(segments, [&](const SegmentInfo& segment) {
      return segment.file == removal.damaged.segment.file;
    });
    if (removal.kept) segments.push_back(*removal.kept);
  }
  return WriteManifest(run, manifest);
}

}  // namespace

std::vector<DamagedSegment> LeaveOutDamaged(const fs::path& run, Manifest* manifest) {
  return TakeOut(manifest, [&](const std::string&, const SegmentInfo& segment) {
    return WrongSize(run, segment);
  });
}

Result<DamagedSegment> DescribeDamage(const fs::path& run, const std::string& table,
                                      const SegmentInfo& segment, const Error& failed) {
  if (failed.kind == Error::Kind::kOutOfMemory) return failed;
  const UniqueFd fd(::open((run / segment.file).c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid() && (errno == ENOENT || errno == ENOTDIR)) {
    return DamagedSegment{table, segment, Gone()};
  }
  if (!fd.valid() && IsOfProcess(errno)) return failed;
  if (!fd.valid()) {
    return DamagedSegment{table, segment, SystemError("it cannot be read", errno)};
  }
  return DamagedSegment{
      table,
      segment,
      {"its contents are damaged",
       fmt::format("`steptrace recover {}` keeps what is sound of it", ShellWord(run.string())),
       Error::Kind::kNeedsRecovery}};
}

DataLossRow LossOf(const DamagedSegment& damaged, StringTable& strings) {
  DataLossRow row;
  row.node = damaged.segment.node;
  row.rank = damaged.segment.rank.value_or(-1);
  row.table = strings.Intern(damaged.table);
  row.cause = strings.Intern(NameOf(LossCause::kSegmentDamaged));
  row.count = damaged.segment.rows - damaged.kept_rows;
  row.from_ns = damaged.segment.ts_min_ns;
  row.to_ns = damaged.segment.ts_max_ns;
  row.detail = damaged.why.Of(damaged.segment.file).text();
  return row;
}

Result<std::vector<DamagedSegment>> RemoveDamaged(const fs::path& run, const std::string& writer) {
  STEPTRACE_ASSIGN_OR_RETURN(const WriterManifest found, ReadWriter(run, writer));
  STEPTRACE_ASSIGN_OR_RETURN(const auto removals, FindRemovals(run, found.manifest));
  std::vector<DamagedSegment> damaged;
  if (removals.empty()) return damaged;
  // First the rows of losses, then the entries, then the files: at any moment the run is whole, or
  // what it lacks is told.
  StringTable strings;
  std::vector<DataLossRow> losses;
  for (const Removal& removal : removals) AddLosses(removal, strings, &losses);
  std::stable_sort(losses.begin(), losses.end(), [](const DataLossRow& a, const DataLossRow& b) {
    return std::pair(a.node, a.rank) < std::pair(b.node, b.rank);
  });
  STEPTRACE_RETURN_IF_ERROR(AddRowsOf<DataLossRow>(run, writer, losses, strings));
  STEPTRACE_RETURN_IF_ERROR(Exchange(run, writer, removals));
  for (const Removal& removal : removals) {
    STEPTRACE_RETURN_IF_ERROR(PutAside(run, run / removal.damaged.segment.file));
    damaged.push_back(removal.damaged);
  }
  return damaged;
}

}  // namespace steptrace::store
