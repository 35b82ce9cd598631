// SPDX-License-Identifier: Apache-2.0
#include "store/damaged_segments.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "store/add_rows.h"
#include "store/all_tables.h"
#include "store/run_files.h"
#include "store/segment.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

// What its size alone tells to be wrong with a segment's file.
std::optional<std::string> WrongSize(const fs::path& run, const SegmentInfo& segment) {
  struct stat facts {};
  if (::stat((run / segment.file).c_str(), &facts) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return "the file is gone";
    return std::nullopt;  // no right to see it, say: reading it tells
  }
  // Formats of before wrote no sizes.
  if (segment.bytes <= 0 || facts.st_size == segment.bytes) return std::nullopt;
  return fmt::format("{} of its {} bytes are there", int64_t{facts.st_size}, segment.bytes);
}

template <class Row>
std::optional<std::string> Unreadable(const fs::path& run, const SegmentInfo& segment) {
  StringTable strings;
  std::vector<Row> rows;
  const Status status = ReadSegment(run, segment, {}, strings, &rows);
  if (!status.ok()) return "its contents are damaged";
  if (static_cast<int64_t>(rows.size()) == segment.rows) return std::nullopt;
  return fmt::format("{} of its {} rows are there", rows.size(), segment.rows);
}

// Takes out of `manifest` what `find` has a word against.
template <class Find>
std::vector<DamagedSegment> TakeOut(Manifest* manifest, Find&& find) {
  std::vector<DamagedSegment> damaged;
  for (auto& [table, parts] : manifest->tables) {
    std::erase_if(parts.segments, [&](const SegmentInfo& segment) {
      std::optional<std::string> why = find(table, segment);
      if (why) damaged.push_back({table, segment, *std::move(why)});
      return why.has_value();
    });
  }
  return damaged;
}

// To a folder that no reader looks into: the user may still mend the file.
Status PutAside(const fs::path& run, const SegmentInfo& segment) {
  std::string name = segment.file;
  std::replace(name.begin(), name.end(), '/', '_');
  STEPTRACE_RETURN_IF_ERROR(MakeDirs(run / "damaged"));
  const fs::path to = run / "damaged" / name;
  if (::rename((run / segment.file).c_str(), to.c_str()) == 0 || errno == ENOENT) return {};
  return SystemError("cannot move " + (run / segment.file).string(), errno);
}

}  // namespace

std::vector<DamagedSegment> LeaveOutDamaged(const fs::path& run, Manifest* manifest) {
  return TakeOut(manifest, [&](const std::string&, const SegmentInfo& segment) {
    return WrongSize(run, segment);
  });
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
  row.detail = fmt::format("{}: {}; restore it from a copy", damaged.segment.file, damaged.why);
  return row;
}

Result<std::vector<DamagedSegment>> RemoveDamaged(const fs::path& run) {
  STEPTRACE_ASSIGN_OR_RETURN(Manifest manifest, ReadManifest(run));
  std::vector<DamagedSegment> damaged =
      TakeOut(&manifest, [&](const std::string& table, const SegmentInfo& segment) {
        std::optional<std::string> why = WrongSize(run, segment);
        if (why) return why;
        VisitTable(table, [&]<class Row>() { why = Unreadable<Row>(run, segment); });
        return why;
      });
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
