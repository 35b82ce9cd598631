// SPDX-License-Identifier: Apache-2.0
#include "runs/join_runs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/shell_word.h"
#include "runs/moved_json.h"
#include "store/all_tables.h"
#include "store/closed_run.h"
#include "store/loss_causes.h"
#include "store/merged_identity.h"
#include "store/metadata_keys.h"
#include "store/partial_folder.h"
#include "store/run_names.h"
#include "store/run_reader.h"

namespace steptrace::runs {
namespace {

namespace fs = std::filesystem;

// Rows that wait for their segment, of all nodes and ranks together.
constexpr size_t kMostRowsWaiting = 1 << 18;
constexpr size_t kJoinedSegmentRows = 1 << 17;
// The year 2116, and 36 years between two boots' moments: two epochs are less than 2^63 apart.
constexpr int64_t kMostEpochNs = int64_t{1} << 62;
constexpr int64_t kMostDistanceNs = int64_t{1} << 60;
// Of flows that are counted: so many of two runs after each other overflow nowhere.
constexpr int64_t kMostFlow = int64_t{1} << 60;

// The numbers of a run's own tracks or stacks, and what they become: one after the other, in their
// order, from the first number on that no run before has.
class OwnNumbers {
 public:
  // In any order.
  void Note(int32_t number) { numbers_.push_back(number); }
  void Settle(int32_t first) {
    first_ = first;
    std::sort(numbers_.begin(), numbers_.end());
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
  }
  size_t size() const { return numbers_.size(); }

  // Nothing: no row of the run has that number.
  std::optional<int32_t> Of(int32_t number) const {
    const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), number);
    if (found == numbers_.end() || *found != number) return std::nullopt;
    return first_ + static_cast<int32_t>(found - numbers_.begin());
  }

 private:
  std::vector<int32_t> numbers_;  // sorted, once settled
  int32_t first_ = 0;
};

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
  OwnNumbers tracks;
  OwnNumbers stacks;
  int64_t first_flow = 0;
  int64_t next_flow = 0;  // the first that it does not use
};

Result<JoinedRun> OpenForJoin(const fs::path& path) {
  STEPTRACE_ASSIGN_OR_RETURN(auto reader, store::RunReader::Open(path));
  if (reader.state() == store::RunState::kLive) {
    return Error{path.string() + ": is still being recorded", "join it when it has ended"};
  }
  if (reader.state() == store::RunState::kDead) {
    return Error{fmt::format("{}: its writer died", path.string()),
                 fmt::format("close it first: steptrace recover {}", ShellWord(path.string()))};
  }
  int64_t epoch_ns = reader.manifest().epoch_utc_ns;
  if (epoch_ns <= 0 || epoch_ns >= kMostEpochNs) {
    return Error{path.string() + ": its times have no date, so it cannot be joined",
                 "import the profiles of all ranks in one go"};
  }
  if (reader.manifest().nodes.empty()) {
    return Error{path.string() + ": names no node", "nothing to join"};
  }
  return JoinedRun(std::move(reader));
}

Status CheckDistinct(const std::vector<JoinedRun>& runs) {
  std::map<std::string, const JoinedRun*> ids;
  std::map<int32_t, const JoinedRun*> ranks;
  for (const JoinedRun& run : runs) {
    auto [same, added] = ids.try_emplace(run.manifest().id, &run);
    if (!added) {
      return Error{fmt::format("{}: the same run as {}", run.reader.run().string(),
                               same->second->reader.run().string()),
                   "name each run once"};
    }
    for (const store::RankInfo& rank : run.manifest().ranks) {
      if (rank.rank < 0) continue;
      auto [other, first] = ranks.try_emplace(rank.rank, &run);
      if (first || other->second == &run) continue;
      return Error{
          fmt::format("{}: has rank {}, as {} has: they are not parts of one job",
                      run.reader.run().string(), rank.rank, other->second->reader.run().string()),
          fmt::format("compare them instead: steptrace compare {} {}",
                      ShellWord(other->second->reader.run().string()),
                      ShellWord(run.reader.run().string()))};
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
          distance_ns > -kMostDistanceNs && distance_ns < kMostDistanceNs &&
          first.epoch_utc_ns + distance_ns > 0) {
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

int64_t Moved(int64_t ns, int64_t shift_ns) {
  int64_t moved = 0;
  // A time that a damaged run gives leads nowhere, before and after.
  return __builtin_add_overflow(ns, shift_ns, &moved) ? ns : moved;
}

// No row of any run has it.
constexpr int32_t kNoNumber = -1;

// Sets what the rows of a run say of other rows, of their node and of their time.
class RowMover {
 public:
  explicit RowMover(JoinedRun& run)
      : run_(run),
        moves_{[&run](int64_t ns) { return Moved(ns, run.shift_ns); },
               [&run](int32_t node) { return run.Node(node); },
               [&run](int32_t track) { return run.tracks.Of(track).value_or(kNoNumber); }} {}

  template <class Row>
  void Move(Row& row) {
    if constexpr (store::kHasTime<Row>) row.ts_ns = Moved(row.ts_ns, run_.shift_ns);
    if constexpr (store::kHasNode<Row>) row.node = run_.Node(row.node);
    if constexpr (requires { row.from_ns; }) {
      MoveTime(row.from_ns);
      MoveTime(row.to_ns);
    }
    if constexpr (requires { row.track; }) MoveNumber(run_.tracks, row.track);
    if constexpr (requires { row.stack; }) MoveNumber(run_.stacks, row.stack);
    if constexpr (std::is_same_v<Row, store::TrackRow>) MoveNumber(run_.tracks, row.parent);
    if constexpr (std::is_same_v<Row, store::StackRow>) MoveNumber(run_.stacks, row.parent);
    if constexpr (std::is_same_v<Row, store::SliceRow>) {
      MoveFlow(row.flow_out);
      MoveFlow(row.flow_in);
    }
    if constexpr (std::is_same_v<Row, store::RunMetadataRow>) {
      if (run_.reader.Text(row.kind) == store::MetadataKind::kWindow)
        row.json = MovedWindow(row.json, moves_);
    }
    if constexpr (std::is_same_v<Row, store::FindingRow>) {
      row.evidence = MovedEvidence(row.evidence, moves_);
    }
  }

  // Of the rows since the last call: numbers that lead nowhere in their own run.
  int64_t TakeLost() { return std::exchange(lost_, 0); }

 private:
  void MoveTime(std::optional<int64_t>& ns) const {
    if (ns) *ns = Moved(*ns, run_.shift_ns);
  }
  void MoveNumber(const OwnNumbers& own, int32_t& number) {
    const auto moved = own.Of(number);
    if (!moved) ++lost_;
    number = moved.value_or(kNoNumber);
  }
  void MoveNumber(const OwnNumbers& own, std::optional<int32_t>& number) {
    if (!number) return;
    number = own.Of(*number);
    if (!number) ++lost_;
  }
  void MoveFlow(std::optional<int64_t>& flow) const {
    if (!flow) return;
    if (*flow < 0 || *flow >= kMostFlow) {
      // Of a tool that takes all 64 bits. The run's mark is put into those below kMostFlow (a node
      // has 31), so that it stays outside of what is counted.
      *flow ^= int64_t{run_.first_node} << 28;
      return;
    }
    *flow += run_.first_flow;
    run_.next_flow = std::max(run_.next_flow, *flow + 1);
  }

  JoinedRun& run_;
  JsonMoves moves_;
  int64_t lost_ = 0;
};

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
      : run_(folder, Redactor::Off()),  // its rows are as they were recorded
        options_(options),
        total_(total) {}

  Status Add(JoinedRun& run) {
    RowMover mover(run);
    Status status;
    store::ForEachTable([&]<class Row>() {
      if (status.ok()) status = AddTable<Row>(run, mover);
    });
    lost_.clear();
    return status;
  }
  Status Close(store::Manifest manifest) { return run_.Close(std::move(manifest)); }
  int64_t rows() const { return rows_; }

 private:
  using Place = std::pair<int32_t, int32_t>;
  template <class Row>
  using Waiting = std::map<Place, std::vector<Row>>;

  template <class Row>
  Status AddTable(JoinedRun& run, RowMover& mover) {
    Waiting<Row> waiting;
    size_t count = 0;
    const auto write_all = [&]() -> Status {
      for (auto& [place, rows] : waiting) {
        STEPTRACE_RETURN_IF_ERROR(Write(run, place, std::move(rows)));
      }
      waiting.clear();
      count = 0;
      return {};
    };
    const auto take = [&](std::span<const Row> rows) -> Status {
      if (options_.stopped && options_.stopped()) return Error{"stopped"};
      for (Row row : rows) {
        mover.Move(row);
        const Place place = PlaceOf(run, row);
        std::vector<Row>& rest = waiting[place];
        rest.push_back(std::move(row));
        ++count;
        if (rest.size() >= kJoinedSegmentRows) {
          count -= rest.size();
          STEPTRACE_RETURN_IF_ERROR(Write(run, place, std::exchange(rest, {})));
        } else if (count >= kMostRowsWaiting) {  // all: to look for the fullest costs each time
          STEPTRACE_RETURN_IF_ERROR(write_all());
        }
      }
      return {};
    };
    STEPTRACE_RETURN_IF_ERROR(run.reader.template ReadBatches<Row>({}, take));
    if (const int64_t lost = mover.TakeLost(); lost > 0) {
      lost_.emplace_back(store::TableOf<Row>::kName, lost);
    }
    if constexpr (std::is_same_v<Row, store::DataLossRow>) {
      for (const store::DataLossRow& row : LostNumbers(run))
        waiting[PlaceOf(run, row)].push_back(row);
    }
    return write_all();
  }

  // A row for each table before: losses are the last.
  std::vector<store::DataLossRow> LostNumbers(JoinedRun& run) const {
    std::vector<store::DataLossRow> rows;
    store::StringTable& strings = run.reader.strings();
    for (const auto& [table, count] : lost_) {
      store::DataLossRow& row = rows.emplace_back();
      row.node = run.first_node;
      row.table = strings.Intern(table);
      row.cause = strings.Intern(NameOf(store::LossCause::kLeadsNowhere));
      row.count = count;
      row.detail = fmt::format(
          "numbers of tracks and stacks that {} does not have: it was damaged before the join",
          run.reader.run().string());
    }
    return rows;
  }

  template <class Row>
  Status Write(JoinedRun& run, Place place, std::vector<Row> rows) {
    if (rows.empty()) return {};
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
  std::vector<std::pair<const char*, int64_t>> lost_;  // of the run: by table
};

template <class Row>
Status ReadNumbers(JoinedRun& run, const char* column, int32_t Row::*number, OwnNumbers& numbers) {
  store::ReadOptions options;
  options.columns = {column};
  return run.reader.ReadBatches<Row>(options, [&](std::span<const Row> rows) -> Status {
    for (const Row& row : rows) numbers.Note(row.*number);
    return {};
  });
}

// Numbers for tracks and stacks, run after run.
Status NumberRuns(std::vector<JoinedRun>& runs) {
  using store::StackRow;
  using store::TrackRow;
  size_t track = 0;
  size_t stack = 0;
  for (JoinedRun& run : runs) {
    STEPTRACE_RETURN_IF_ERROR(ReadNumbers(run, "track", &TrackRow::track, run.tracks));
    STEPTRACE_RETURN_IF_ERROR(ReadNumbers(run, "stack", &StackRow::stack, run.stacks));
    run.tracks.Settle(static_cast<int32_t>(track));
    run.stacks.Settle(static_cast<int32_t>(stack));
    track += run.tracks.size();
    stack += run.stacks.size();
    constexpr size_t kMostNumbers = std::numeric_limits<int32_t>::max();
    if (track > kMostNumbers || stack > kMostNumbers) {
      return Error{run.reader.run().string() + ": the runs have too many tracks or stacks for one",
                   "join fewer"};
    }
  }
  return {};
}

// What is known of the whole: it is completed when all parts are.
store::Manifest Joined(const std::vector<JoinedRun>& runs, const JoinOptions& options,
                       int64_t epoch_utc_ns) {
  const store::Manifest& first = runs.front().manifest();
  store::Manifest manifest;
  manifest.id = store::NewRunId(options.output);
  manifest.name = options.name.empty() ? first.name : options.name;
  manifest.status = store::kStatusCompleted;
  manifest.command = first.command;
  manifest.imported_as = first.imported_as;
  manifest.steptrace_version = first.steptrace_version;
  manifest.writer_pid = getpid();
  manifest.epoch_utc_ns = epoch_utc_ns;
  manifest.epoch_monotonic_ns = Moved(first.epoch_monotonic_ns, -runs.front().shift_ns);
  std::vector<store::RunIdentity> identities;
  for (const JoinedRun& run : runs) {
    const store::Manifest& part = run.manifest();
    if (manifest.status == store::kStatusCompleted) manifest.status = part.status;
    if (manifest.exit_code.value_or(0) == 0 && part.exit_code) manifest.exit_code = part.exit_code;
    if (!manifest.signal) manifest.signal = part.signal;
    if (part.end_ns) {
      manifest.end_ns = std::max(manifest.end_ns.value_or(0), Moved(*part.end_ns, run.shift_ns));
    }
    manifest.versions.insert(part.versions.begin(), part.versions.end());
    identities.push_back(part.identity);
    for (store::NodeInfo node : part.nodes) {
      node.node = run.Node(node.node);
      manifest.nodes.push_back(std::move(node));
    }
    for (store::RankInfo rank : part.ranks) {
      rank.node = run.Node(rank.node);
      manifest.ranks.push_back(rank);
    }
  }
  manifest.identity = store::MergedIdentity(identities);
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
  STEPTRACE_RETURN_IF_ERROR(NumberRuns(runs));
  STEPTRACE_ASSIGN_OR_RETURN(store::PartialFolder folder,
                             store::PartialFolder::Make(options.output, options.folder_mode));
  Joiner joiner(folder.path(), options, total);
  int64_t next_flow = 0;
  for (JoinedRun& run : runs) {
    if (next_flow > kMostFlow) {
      return Error{run.reader.run().string() + ": too many flows in the runs before it",
                   "join fewer runs"};
    }
    run.first_flow = run.next_flow = next_flow;
    STEPTRACE_RETURN_IF_ERROR(joiner.Add(run));
    next_flow = run.next_flow;
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
    return Error{"one run alone: nothing to join", "name the run of each node"};
  }
  STEPTRACE_RETURN_IF_ERROR(CheckDistinct(opened));
  auto joined = JoinOpened(opened, options);
  if (!joined.ok() && options.stopped && options.stopped()) {
    return Error{options.output.string() + ": the join was stopped",
                 "nothing of it is left, start it again"};
  }
  return joined;
}

}  // namespace steptrace::runs
