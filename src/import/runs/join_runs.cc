// SPDX-License-Identifier: Apache-2.0
#include "import/runs/join_runs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "import/importer.h"
#include "import/partial_folder.h"
#include "store/all_tables.h"
#include "store/closed_run.h"
#include "store/run_reader.h"

namespace steptrace::import {
namespace {

namespace fs = std::filesystem;

// Rows that wait for their segment, of all nodes and ranks together.
constexpr size_t kMostRowsWaiting = 1 << 18;
constexpr size_t kJoinedSegmentRows = 1 << 17;
// Beyond are dates that no run has, and sums of two overflow.
constexpr int64_t kMostEpochNs = int64_t{1} << 62;

// A run, and what its rows become.
struct JoinedRun {
  explicit JoinedRun(store::RunReader opened) : reader(std::move(opened)) {}

  const store::Manifest& manifest() const { return reader.manifest(); }
  int32_t Node(int32_t node) const {
    auto found = nodes.find(node);
    return found == nodes.end() ? first_node : found->second;
  }

  store::RunReader reader;
  int64_t shift_ns = 0;  // added to its times
  std::map<int32_t, int32_t> nodes;
  int32_t first_node = 0;
  int32_t first_track = 0;
  int32_t first_stack = 0;
  int64_t first_flow = 0;
};

// The first numbers that no run before has.
struct NextNumbers {
  int64_t track = 0;
  int64_t stack = 0;
  int64_t flow = 0;
};

Result<JoinedRun> OpenForJoin(const fs::path& path) {
  STEPTRACE_ASSIGN_OR_RETURN(auto reader, store::RunReader::Open(path));
  if (reader.state() == store::RunState::kLive) {
    return Error{path.string() + ": is still being recorded; join it when it has ended"};
  }
  if (reader.state() == store::RunState::kDead) {
    return Error{
        fmt::format("{0}: its writer died; close it first: steptrace recover {0}", path.string())};
  }
  int64_t epoch_ns = reader.manifest().epoch_utc_ns;
  if (epoch_ns <= 0 || epoch_ns >= kMostEpochNs) {
    return Error{path.string() +
                 ": its times have no date, so it cannot be put beside another "
                 "run; import the profiles of all ranks in one go"};
  }
  if (reader.manifest().nodes.empty()) {
    return Error{path.string() + ": names no node; nothing to join"};
  }
  return JoinedRun(std::move(reader));
}

Status CheckDistinct(const std::vector<JoinedRun>& runs) {
  std::map<std::string, const JoinedRun*> ids;
  std::map<int32_t, const JoinedRun*> ranks;
  for (const JoinedRun& run : runs) {
    auto [same, added] = ids.try_emplace(run.manifest().id, &run);
    if (!added) {
      return Error{fmt::format("{}: the same run as {}; name each run once",
                               run.reader.run().string(), same->second->reader.run().string())};
    }
    for (const store::RankInfo& rank : run.manifest().ranks) {
      if (rank.rank < 0) continue;
      auto [other, first] = ranks.try_emplace(rank.rank, &run);
      if (first || other->second == &run) continue;
      return Error{
          fmt::format("{}: has rank {}, as {} has: they are not parts of one job; "
                      "`steptrace ui` sets runs beside each other",
                      run.reader.run().string(), rank.rank, other->second->reader.run().string())};
    }
  }
  return {};
}

// Numbers for the nodes, and one clock. Returns the epoch by UTC.
int64_t PlaceRuns(std::vector<JoinedRun>& runs) {
  std::map<std::string, const JoinedRun*> boots;
  std::vector<int64_t> epochs;
  int32_t next_node = 0;
  for (JoinedRun& run : runs) {
    const store::Manifest& manifest = run.manifest();
    int64_t epoch_ns = manifest.epoch_utc_ns;
    const std::string& boot = manifest.nodes.front().boot_id;
    if (manifest.nodes.size() == 1 && !boot.empty()) {
      auto [same, added] = boots.try_emplace(boot, &run);
      const store::Manifest& first = same->second->manifest();
      int64_t distance_ns = 0;
      if (!added &&
          !__builtin_sub_overflow(manifest.epoch_monotonic_ns, first.epoch_monotonic_ns,
                                  &distance_ns) &&
          distance_ns > -kMostEpochNs && distance_ns < kMostEpochNs) {
        epoch_ns = first.epoch_utc_ns + distance_ns;
      }
    }
    epochs.push_back(epoch_ns);
    run.first_node = next_node;
    for (const store::NodeInfo& node : manifest.nodes) run.nodes.emplace(node.node, next_node++);
  }
  int64_t epoch = *std::min_element(epochs.begin(), epochs.end());
  for (size_t i = 0; i < runs.size(); ++i) runs[i].shift_ns = epochs[i] - epoch;
  return epoch;
}

int32_t Moved(int32_t number, int32_t first) {
  int32_t moved = 0;
  // A number that a damaged run gives leads nowhere, before and after.
  return __builtin_add_overflow(number, first, &moved) ? number : moved;
}
int64_t Moved(int64_t number, int64_t first) {
  int64_t moved = 0;
  return __builtin_add_overflow(number, first, &moved) ? number : moved;
}
template <class T, class First>
void Move(std::optional<T>& number, First first) {
  if (number) *number = Moved(*number, static_cast<T>(first));
}

void See(int64_t number, int64_t* next) {
  constexpr int64_t kMostNumber = int64_t{1} << 62;
  if (number >= 0 && number < kMostNumber) *next = std::max(*next, number + 1);
}

// Sets what a row says of other rows, of its node and of its time.
template <class Row>
void MoveRow(const JoinedRun& run, NextNumbers* next, Row& row) {
  if constexpr (store::kHasTime<Row>) row.ts_ns = Moved(row.ts_ns, run.shift_ns);
  if constexpr (store::kHasNode<Row>) row.node = run.Node(row.node);
  if constexpr (requires { row.from_ns; }) {
    Move(row.from_ns, run.shift_ns);
    Move(row.to_ns, run.shift_ns);
  }
  if constexpr (std::is_same_v<Row, store::MemoryRow>) {
    Move(row.track, run.first_track);
  } else if constexpr (requires { row.track; }) {
    row.track = Moved(row.track, run.first_track);
  }
  if constexpr (requires { row.stack; }) row.stack = Moved(row.stack, run.first_stack);
  if constexpr (std::is_same_v<Row, store::TrackRow>) {
    Move(row.parent, run.first_track);
    See(row.track, &next->track);
  }
  if constexpr (std::is_same_v<Row, store::StackRow>) {
    Move(row.parent, run.first_stack);
    See(row.stack, &next->stack);
  }
  if constexpr (std::is_same_v<Row, store::SliceRow>) {
    Move(row.flow_out, run.first_flow);
    Move(row.flow_in, run.first_flow);
    See(row.flow_out.value_or(-1), &next->flow);
    See(row.flow_in.value_or(-1), &next->flow);
  }
}

// Where a row lies: tables without ranks have them all in one.
template <class Row>
std::pair<int32_t, int32_t> PlaceOf(const JoinedRun& run, const Row& row) {
  int32_t node = run.first_node;
  int32_t rank = -1;
  if constexpr (store::kHasNode<Row>) node = row.node;
  if constexpr (store::kHasRank<Row>) rank = row.rank;
  return {node, rank};
}

class Joiner {
 public:
  Joiner(const fs::path& folder, const JoinOptions& options, int64_t total)
      : run_(folder), options_(options), total_(total) {}

  Status Add(JoinedRun& run) {
    Status status;
    store::ForEachTable([&]<class Row>() {
      if (status.ok()) status = AddTable<Row>(run);
    });
    return status;
  }
  Status Close(store::Manifest manifest) { return run_.Close(std::move(manifest)); }
  int64_t rows() const { return rows_; }
  NextNumbers& next() { return next_; }

 private:
  template <class Row>
  using Waiting = std::map<std::pair<int32_t, int32_t>, std::vector<Row>>;

  template <class Row>
  Status AddTable(JoinedRun& run) {
    Waiting<Row> waiting;
    size_t count = 0;
    auto take = [&](std::span<const Row> rows) -> Status {
      if (options_.stopped && options_.stopped()) return Error{"stopped"};
      for (Row row : rows) {
        MoveRow(run, &next_, row);
        std::vector<Row>& rest = waiting[PlaceOf(run, row)];
        rest.push_back(std::move(row));
        ++count;
        if (rest.size() < kJoinedSegmentRows && count < kMostRowsWaiting) continue;
        // The fullest goes, so that segments are not small.
        auto fullest = std::max_element(
            waiting.begin(), waiting.end(),
            [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
        count -= fullest->second.size();
        STEPTRACE_RETURN_IF_ERROR(Write(run, fullest->first, std::exchange(fullest->second, {})));
      }
      return {};
    };
    STEPTRACE_RETURN_IF_ERROR(run.reader.template ReadBatches<Row>({}, take));
    for (auto& [place, rows] : waiting) {
      STEPTRACE_RETURN_IF_ERROR(Write(run, place, std::move(rows)));
    }
    return {};
  }

  template <class Row>
  Status Write(JoinedRun& run, std::pair<int32_t, int32_t> place, std::vector<Row> rows) {
    if constexpr (store::kHasTime<Row>) {
      std::stable_sort(rows.begin(), rows.end(),
                       [](const Row& a, const Row& b) { return a.ts_ns < b.ts_ns; });
    }
    rows_ += static_cast<int64_t>(rows.size());
    if (options_.progress) options_.progress(rows_, total_);
    return run_.Write<Row>(rows, run.reader.strings(), place.first, place.second, number_++);
  }

  store::ClosedRun run_;
  const JoinOptions& options_;
  int64_t total_;
  int64_t rows_ = 0;
  int64_t number_ = 0;
  NextNumbers next_;
};

// What is known of the whole: it is completed when all parts are.
store::Manifest Joined(const std::vector<JoinedRun>& runs, const JoinOptions& options,
                       int64_t epoch_utc_ns) {
  const store::Manifest& first = runs.front().manifest();
  store::Manifest manifest;
  manifest.id = NewRunId(options.output);
  manifest.name = options.name.empty() ? first.name : options.name;
  manifest.status = store::kStatusCompleted;
  manifest.command = first.command;
  manifest.steptrace_version = first.steptrace_version;
  manifest.writer_pid = getpid();
  manifest.epoch_utc_ns = epoch_utc_ns;
  manifest.epoch_monotonic_ns = Moved(first.epoch_monotonic_ns, -runs.front().shift_ns);
  for (const JoinedRun& run : runs) {
    const store::Manifest& part = run.manifest();
    if (manifest.status == store::kStatusCompleted) manifest.status = part.status;
    if (manifest.exit_code.value_or(0) == 0 && part.exit_code) manifest.exit_code = part.exit_code;
    if (!manifest.signal) manifest.signal = part.signal;
    if (part.end_ns) {
      manifest.end_ns = std::max(manifest.end_ns.value_or(0), Moved(*part.end_ns, run.shift_ns));
    }
    manifest.versions.insert(part.versions.begin(), part.versions.end());
    for (store::NodeInfo node : part.nodes) {
      node.node = run.Node(node.node);
      manifest.nodes.push_back(std::move(node));
    }
    for (store::RankInfo rank : part.ranks) {
      rank.node = run.Node(rank.node);
      manifest.ranks.push_back(rank);
    }
  }
  std::stable_sort(manifest.ranks.begin(), manifest.ranks.end(),
                   [](const auto& a, const auto& b) { return a.rank < b.rank; });
  return manifest;
}

Result<JoinSummary> JoinOpened(std::vector<JoinedRun>& runs, const JoinOptions& options) {
  int64_t total = 0;
  for (JoinedRun& run : runs) {
    for (const std::string& table : store::TableNames()) {
      STEPTRACE_ASSIGN_OR_RETURN(int64_t rows, run.reader.CountRows(table));
      total += rows;
    }
  }
  int64_t epoch_utc_ns = PlaceRuns(runs);
  STEPTRACE_ASSIGN_OR_RETURN(PartialFolder folder, PartialFolder::Make(options.output));
  Joiner joiner(folder.path(), options, total);
  for (JoinedRun& run : runs) {
    constexpr int64_t kMostTracks = std::numeric_limits<int32_t>::max() / 2;
    const NextNumbers& next = joiner.next();
    if (next.track > kMostTracks || next.stack > kMostTracks) {
      return Error{run.reader.run().string() +
                   ": the runs have too many tracks or stacks for one; join fewer"};
    }
    run.first_track = static_cast<int32_t>(next.track);
    run.first_stack = static_cast<int32_t>(next.stack);
    run.first_flow = next.flow;
    STEPTRACE_RETURN_IF_ERROR(joiner.Add(run));
  }
  store::Manifest manifest = Joined(runs, options, epoch_utc_ns);
  JoinSummary summary{options.output, joiner.rows(), static_cast<int64_t>(manifest.nodes.size()),
                      static_cast<int64_t>(manifest.ranks.size())};
  STEPTRACE_RETURN_IF_ERROR(joiner.Close(std::move(manifest)));
  STEPTRACE_RETURN_IF_ERROR(folder.MoveTo(options.output));
  return summary;
}

}  // namespace

Result<JoinSummary> JoinRuns(std::span<const fs::path> runs, const JoinOptions& options) {
  std::vector<JoinedRun> opened;
  for (const fs::path& path : runs) {
    STEPTRACE_ASSIGN_OR_RETURN(JoinedRun run, OpenForJoin(path));
    opened.push_back(std::move(run));
  }
  if (opened.size() < 2) {
    return Error{"one run alone: nothing to join; name the run of each node"};
  }
  STEPTRACE_RETURN_IF_ERROR(CheckDistinct(opened));
  auto joined = JoinOpened(opened, options);
  if (!joined.ok() && options.stopped && options.stopped()) {
    return Error{options.output.string() +
                 ": the join was stopped; nothing of it is left, start it again"};
  }
  return joined;
}

}  // namespace steptrace::import
