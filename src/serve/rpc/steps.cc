// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/steps.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "analyze/attribution/trace_steps.h"
#include "analyze/trace/trace_builder.h"
#include "serve/rpc/read_profile.h"
#include "store/add_rows.h"
#include "store/columns_of.h"
#include "store/manifest.h"
#include "store/stored_words.h"

namespace steptrace::rpc {
namespace {

void Append(const std::vector<store::StepRow>& from, std::vector<store::StepRow>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

void Sort(std::vector<store::StepRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const store::StepRow& a, const store::StepRow& b) {
    return std::tie(a.node, a.rank, a.ts_ns) < std::tie(b.node, b.rank, b.ts_ns);
  });
}

// What the steps are made from: who launched what, and when, and the numbers of marked ones. The
// rest of a slice stays on disk.
store::ReadOptions SlicesOf(int32_t rank) {
  return {.columns =
              store::SliceColumnsWith<&store::SliceRow::correlation, &store::SliceRow::external_id,
                                      &store::SliceRow::details>(),
          .rank = rank,
          .from_ns = std::nullopt,
          .to_ns = std::nullopt};
}

// Damaged files of what steps are derived from.
std::vector<store::DamagedSegment> DamagedSources(const store::RunReader& run) {
  std::vector<store::DamagedSegment> damaged;
  for (const store::DamagedSegment& part : run.damaged()) {
    if (part.table == "slices" || part.table == "tracks" || part.table == "run_metadata") {
      damaged.push_back(part);
    }
  }
  return damaged;
}

bool LacksTable(const store::RunReader& run) {
  return run.state() == store::RunState::kClosed && !run.manifest().tables.contains("steps");
}

bool MayHold(const std::filesystem::path& path, const store::RunReader& run) {
  return LacksTable(run) && ::access(path.c_str(), W_OK) == 0;
}

}  // namespace

ProfileSteps StepsOf(const analyze::Trace& profile, const analyze::ProfileAnalysis& analysis,
                     store::StringTable& strings) {
  ProfileSteps steps;
  steps.marked = std::any_of(profile.ranks.begin(), profile.ranks.end(),
                             [](const auto& rank) { return !rank.steps.empty(); });
  for (size_t i = 0; i < profile.ranks.size(); ++i) {
    if (steps.marked && profile.ranks[i].steps.empty()) continue;
    Append(analysis.ranks[i].rows, steps.rows);
  }
  for (store::StepRow& row : steps.rows)
    row.kind = strings.Intern(store::NameOf(store::StepKind::kTrain));
  Sort(steps.rows);
  return steps;
}

Result<std::vector<store::StepRow>> MarkedSteps(store::RunReader& run) {
  STEPTRACE_ASSIGN_OR_RETURN(auto tracks, run.Read<store::TrackRow>());
  STEPTRACE_ASSIGN_OR_RETURN(auto facts, run.Read<store::RunMetadataRow>());
  std::vector<store::StepRow> rows;
  if (!HoldsProfile(tracks, facts, run.strings())) return rows;
  for (const auto& [rank, of_rank] : ProfileTracks(tracks, run.strings())) {
    analyze::RankTraceBuilder builder(rank, of_rank, run.strings());
    STEPTRACE_RETURN_IF_ERROR(run.ReadBatches<store::SliceRow>(
        SlicesOf(rank), [&builder](std::span<const store::SliceRow> slices) -> Status {
          builder.Add(slices);
          return {};
        }));
    if (builder.empty()) continue;
    const auto trace = builder.Build({}, analyze::LaneOrder::kByTime);
    if (!trace.steps.empty()) Append(analyze::DeriveTraceSteps(trace, run.strings()), rows);
  }
  Sort(rows);
  return rows;
}

Status StoreMarkedSteps(const std::filesystem::path& path, int64_t most_slices) {
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader run, store::RunReader::Open(path));
  if (!MayHold(path, run)) return {};
  STEPTRACE_ASSIGN_OR_RETURN(const int64_t slices, run.CountRows("slices"));
  if (slices == 0 || slices > most_slices) return {};
  STEPTRACE_ASSIGN_OR_RETURN(auto rows, MarkedSteps(run));
  if (const auto damaged = DamagedSources(run); !damaged.empty()) {
    return damaged.front().why.Of(damaged.front().segment.file);
  }
  return store::AddTable<store::StepRow>(path, rows, run.strings());
}

Result<StepsTable> StepsTable::Of(const std::filesystem::path& path) {
  StepsTable table(path);
  if (StoreMarkedSteps(path).ok() && ::access(path.c_str(), W_OK) == 0) return table;
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader run, store::RunReader::Open(path));
  if (!LacksTable(run)) return table;
  STEPTRACE_ASSIGN_OR_RETURN(const auto rows, MarkedSteps(run));
  table.damaged_ = DamagedSources(run);
  if (rows.empty()) return table;
  std::error_code error;
  const std::filesystem::path place = std::filesystem::temp_directory_path(error);
  if (error) {
    return Error{
        fmt::format("TMPDIR: {}", error.message()),
        fmt::format("the steps of {} are derived there: name a folder by it", path.string())};
  }
  std::string folder = place / "steptrace-steps-XXXXXX";  // the letters are mkdtemp's to fill
  if (::mkdtemp(folder.data()) == nullptr) {
    return Error{
        fmt::format("{}: {}", folder, std::strerror(errno)),
        fmt::format("the steps of {} are derived there: make room, or set TMPDIR", path.string())};
  }
  table.own_ = folder;
  table.run_ = folder;
  store::Manifest manifest = run.manifest();
  manifest.tables.clear();
  STEPTRACE_RETURN_IF_ERROR(store::WriteManifest(table.own_, manifest));
  STEPTRACE_RETURN_IF_ERROR(store::AddRows<store::StepRow>(table.own_, rows, run.strings()));
  return table;
}

StepsTable::StepsTable(StepsTable&& other) noexcept
    : run_(std::move(other.run_)),
      own_(std::exchange(other.own_, {})),
      damaged_(std::move(other.damaged_)) {}

StepsTable::~StepsTable() {
  std::error_code ignored;
  if (!own_.empty()) std::filesystem::remove_all(own_, ignored);
}

}  // namespace steptrace::rpc
