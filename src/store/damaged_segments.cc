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

#include "store/add_rows.h"
#include "store/all_tables.h"
#include "store/arrow_support.h"
#include "store/run_files.h"
#include "store/segment.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGone = "the file is gone; restore it from a copy";

// What its size alone tells to be wrong with a segment's file.
std::optional<std::string> WrongSize(const fs::path& run, const SegmentInfo& segment) {
  struct stat facts {};
  if (::stat((run / segment.file).c_str(), &facts) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return kGone;
    return std::nullopt;  // no right to see it, say: reading it tells
  }
  // Formats of before wrote no sizes.
  if (segment.bytes <= 0 || facts.st_size == segment.bytes) return std::nullopt;
  return fmt::format("{} of its {} bytes are there; restore it from a copy", int64_t{facts.st_size},
                     segment.bytes);
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

// What is wrong with the contents of a file of the right size; nothing: all is well.
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

// Takes out of `manifest` what `find` has a word against.
template <class Find>
std::vector<DamagedSegment> TakeOut(Manifest* manifest, Find&& find) {
  std::vector<DamagedSegment> damaged;
  for (auto& entry : manifest->tables) {
    const std::string& table = entry.first;
    std::erase_if(entry.second.segments, [&](const SegmentInfo& segment) {
      std::optional<std::string> why = find(table, segment);
      if (why) damaged.push_back({table, segment, *std::move(why)});
      return why.has_value();
    });
  }
  return damaged;
}

// To a folder that no reader looks into: for those who can make something of the file.
Status PutAside(const fs::path& run, const SegmentInfo& segment) {
  std::string name = segment.file;
  std::replace(name.begin(), name.end(), '/', '_');
  STEPTRACE_RETURN_IF_ERROR(MakeDirs(run / kDamagedFolder));
  const fs::path to = run / kDamagedFolder / name;
  if (::rename((run / segment.file).c_str(), to.c_str()) == 0 || errno == ENOENT) return {};
  return SystemError("cannot move " + (run / segment.file).string(), errno);
}

}  // namespace

std::vector<DamagedSegment> LeaveOutDamaged(const fs::path& run, Manifest* manifest) {
  return TakeOut(manifest, [&](const std::string&, const SegmentInfo& segment) {
    return WrongSize(run, segment);
  });
}

Result<DamagedSegment> ToldOf(const fs::path& run, const std::string& table,
                              const SegmentInfo& segment, const Error& failed) {
  if (failed.kind == Error::Kind::kOutOfMemory) return failed;
  const UniqueFd fd(::open((run / segment.file).c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid() && (errno == ENOENT || errno == ENOTDIR)) {
    return DamagedSegment{table, segment, kGone};
  }
  if (!fd.valid()) {
    return DamagedSegment{table, segment, SystemError("it cannot be read", errno).message};
  }
  return DamagedSegment{table, segment,
                        "its contents are damaged; `steptrace recover` puts it aside"};
}

LossRow LossOf(const DamagedSegment& damaged, StringTable& strings) {
  LossRow row;
  row.node = damaged.segment.node;
  row.rank = damaged.segment.rank.value_or(-1);
  row.table = strings.Intern(damaged.table);
  row.cause = strings.Intern("segment_damaged");
  row.count = damaged.segment.rows;
  row.from_ns = damaged.segment.ts_min_ns;
  row.to_ns = damaged.segment.ts_max_ns;
  row.detail = fmt::format("{}: {}", damaged.segment.file, damaged.why);
  return row;
}

Result<std::vector<DamagedSegment>> RemoveDamaged(const fs::path& run) {
  STEPTRACE_ASSIGN_OR_RETURN(Manifest manifest, ReadManifest(run));
  Status failed;
  std::vector<DamagedSegment> damaged =
      TakeOut(&manifest, [&](const std::string& table, const SegmentInfo& segment) {
        std::optional<std::string> why;
        if (!failed.ok() || WrongSize(run, segment)) return why;
        VisitTable(table, [&]<class Row>() {
          auto wrong = WrongContents<Row>(run, segment);
          if (!wrong.ok()) failed = wrong.error();
          if (wrong.ok() && *wrong) why = **wrong + "; it was put aside in damaged/";
        });
        return why;
      });
  STEPTRACE_RETURN_IF_ERROR(failed);
  if (damaged.empty()) return damaged;
  // First the rows of losses, then the entries, then the files: at any moment the run is whole, or
  // what it lacks is told.
  StringTable strings;
  std::vector<LossRow> losses;
  for (const DamagedSegment& segment : damaged) losses.push_back(LossOf(segment, strings));
  std::stable_sort(losses.begin(), losses.end(), [](const LossRow& a, const LossRow& b) {
    return std::pair(a.node, a.rank) < std::pair(b.node, b.rank);
  });
  STEPTRACE_RETURN_IF_ERROR(AddRows<LossRow>(run, losses, strings));
  STEPTRACE_ASSIGN_OR_RETURN(Manifest told, ReadManifest(run));
  for (auto& [table, parts] : told.tables) {
    std::erase_if(parts.segments, [&](const SegmentInfo& segment) {
      return std::any_of(damaged.begin(), damaged.end(), [&](const DamagedSegment& other) {
        return other.segment.file == segment.file;
      });
    });
  }
  STEPTRACE_RETURN_IF_ERROR(WriteManifest(run, told));
  for (const DamagedSegment& segment : damaged) {
    STEPTRACE_RETURN_IF_ERROR(PutAside(run, segment.segment));
  }
  return damaged;
}

}  // namespace steptrace::store
