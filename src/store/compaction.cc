// SPDX-License-Identifier: Apache-2.0
#include "store/compaction.h"

#include <algorithm>
#include <compare>
#include <set>
#include <span>
#include <tuple>

#include "store/journal_losses.h"
#include "store/journal_reader.h"
#include "store/run_files.h"
#include "store/segment.h"
#include "store/segment_queue.h"
#include "store/step_finder.h"
#include "store/written_manifests.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

// The journals of one table in one folder, in the order of writing.
struct JournalGroup {
  std::string folder;
  int32_t node = 0;
  std::string table;
  std::vector<JournalFile> files;
  int64_t bytes = 0;
};

std::vector<JournalGroup> GroupJournals(const fs::path& run, const Manifest& manifest) {
  std::vector<JournalGroup> groups;
  for (JournalFile& file : JournalsOf(run, manifest)) {
    if (IsAbsorbed(manifest, file)) continue;
    bool same =
        !groups.empty() && groups.back().folder == file.folder && groups.back().table == file.table;
    if (!same) groups.push_back({file.folder, file.node, file.table, {}, 0});
    groups.back().bytes += file.bytes;
    groups.back().files.push_back(std::move(file));
  }
  return groups;
}

template <class Row>
int64_t EndOf(const Row& row) {
  if constexpr (requires { row.dur_ns; }) {
    return row.ts_ns + row.dur_ns;
  } else {
    return row.ts_ns;
  }
}

// Collects rows of one table up to a chunk, sorts it and hands it on as a segment for each rank.
template <class Row>
class ChunkWriter {
 public:
  ChunkWriter(const fs::path& run, SegmentQueue* queue, std::string writer, int32_t node,
              const TableParts& parts, StringTable& strings, StepFinder* steps, int64_t chunk_bytes)
      : run_(run),
        queue_(queue),
        writer_(std::move(writer)),
        node_(node),
        strings_(strings),
        steps_(steps),
        chunk_rows_(std::max<size_t>(1, static_cast<size_t>(chunk_bytes) / sizeof(Row))),
        next_number_(static_cast<int64_t>(parts.segments.size())) {}

  // Adds `count` rows, which `fill` appends. Rows that do not fit the chunk begin the next one.
  template <class Fill>
  Status Take(size_t count, Fill&& fill) {
    if (rows_.size() + count > chunk_rows_) STEPTRACE_RETURN_IF_ERROR(WriteChunk());
    if (rows_.capacity() == 0 && count > 0) rows_.reserve(std::max(chunk_rows_, count));
    return fill(&rows_);
  }

  Status WriteChunk() {
    for (size_t begin = 0; begin < rows_.size(); begin += chunk_rows_) {
      const size_t size = std::min(chunk_rows_, rows_.size() - begin);
      STEPTRACE_RETURN_IF_ERROR(WriteSorted(std::span(rows_).subspan(begin, size)));
    }
    rows_.clear();
    return {};
  }

  std::optional<int64_t> last_ns() const { return last_ns_; }

 private:
  static int32_t RankOf(const Row& row) {
    if constexpr (kHasRank<Row>) return row.rank;
    return 0;
  }
  static int64_t TimeOf(const Row& row) {
    if constexpr (kHasTime<Row>) return row.ts_ns;
    return 0;
  }

  // By rank and time; rows of the same time keep their order.
  Status WriteSorted(std::span<Row> rows) {
    struct Key {
      int64_t ts_ns;
      int32_t rank;
      uint32_t index;
      auto operator<=>(const Key& other) const {
        return std::tie(rank, ts_ns, index) <=> std::tie(other.rank, other.ts_ns, other.index);
      }
    };
    std::vector<Key> keys(rows.size());
    for (uint32_t i = 0; i < keys.size(); ++i) keys[i] = {TimeOf(rows[i]), RankOf(rows[i]), i};
    std::vector<uint32_t> order;  // empty: as they are
    if (!std::is_sorted(keys.begin(), keys.end())) {
      std::sort(keys.begin(), keys.end());
      order.resize(keys.size());
      std::transform(keys.begin(), keys.end(), order.begin(), [](const Key& k) { return k.index; });
    }
    for (size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
      while (end < keys.size() && keys[end].rank == keys[begin].rank) ++end;
      const std::span<Row> in_place = rows.subspan(begin, end - begin);
      STEPTRACE_RETURN_IF_ERROR(
          order.empty() ? WriteRank({in_place, {}}, in_place)
                        : WriteRank({rows, std::span(order).subspan(begin, end - begin)}, rows));
    }
    return {};
  }

  // `rows` are those that `view` shows, to be changed.
  Status WriteRank(const RowsView<Row>& view, std::span<Row> rows) {
    for (size_t i = 0; i < view.size(); ++i) Complete(&rows[view.place(i)]);
    SegmentInfo segment;
    segment.node = node_;
    if constexpr (kHasRank<Row>) segment.rank = RankOf(view[0]);
    next_number_ =
        FreeSegmentNumber(run_, TableOf<Row>::kName, writer_, node_, segment.rank, next_number_);
    segment.file = SegmentFile(TableOf<Row>::kName, writer_, node_, segment.rank, next_number_++);
    STEPTRACE_ASSIGN_OR_RETURN(auto batch, EncodeSegment(view, strings_, &segment));
    return queue_->Add(std::move(segment), std::move(batch));
  }

  // What was not yet known when the row was written.
  void Complete(Row* row) {
    if constexpr (kHasTime<Row>) last_ns_ = std::max(last_ns_.value_or(EndOf(*row)), EndOf(*row));
    if constexpr (std::is_same_v<Row, SliceRow>) {
      if (!row->step) row->step = steps_->StepAt(row->rank, row->ts_ns);
    }
  }

  const fs::path& run_;
  SegmentQueue* queue_;
  std::string writer_;
  int32_t node_;
  StringTable& strings_;
  StepFinder* steps_;
  size_t chunk_rows_;
  int64_t next_number_;
  std::vector<Row> rows_;
  std::optional<int64_t> last_ns_;
};

// One attempt to move journals into segments, on a copy of the manifest.
class Absorber {
 public:
  Absorber(const fs::path& run, Manifest* manifest, StringTable& strings, StepFinder* steps,
           int64_t chunk_bytes)
      : run_(run),
        manifest_(manifest),
        strings_(strings),
        steps_(steps),
        chunk_bytes_(chunk_bytes),
        queue_(run) {}

  // Losses found on the way are kept for AbsorbLosses.
  Status Absorb(const JournalGroup& group) {
    Status status;
    VisitTable(group.table, [&]<class Row>() { status = AbsorbRows<Row>(group, {}); });
    return status;
  }
  // The journals of `data_loss`, if there are any, and the rows that came up.
  Status AbsorbLosses(const JournalGroup& group, std::vector<DataLossRow> losses) {
    losses.insert(losses.end(), losses_.begin(), losses_.end());
    return AbsorbRows<DataLossRow>(group, std::move(losses));
  }

  std::optional<int64_t> last_ns() const { return last_ns_; }
  const std::vector<DataLossRow>& losses() const { return losses_; }
  // Journals of which not all was taken, for somebody may make more of them.
  const std::vector<fs::path>& damaged() const { return damaged_; }

 private:
  template <class Row>
  Status AbsorbRows(const JournalGroup& group, std::vector<Row> more) {
    TableParts& parts = manifest_->tables[group.table];
    ChunkWriter<Row> chunks(run_, &queue_, manifest_->writer, group.node, parts, strings_, steps_,
                            chunk_bytes_);
    std::vector<DataLossRow> found;
    for (const JournalFile& file : group.files) {
      STEPTRACE_ASSIGN_OR_RETURN(JournalReader reader, JournalReader::Open(file.path));
      STEPTRACE_RETURN_IF_ERROR(AbsorbFile(&reader, &chunks));
      auto loss = LossOfJournal(file, reader, std::nullopt, strings_);
      if (!loss) continue;
      if (reader.end() == JournalEnd::kDamaged) damaged_.push_back(file.path);
      STEPTRACE_RETURN_IF_ERROR(chunks.WriteChunk());  // so that the last time is known
      loss->from_ns = chunks.last_ns();
      found.push_back(*std::move(loss));
    }
    if constexpr (std::is_same_v<Row, DataLossRow>) {
      more.insert(more.end(), found.begin(), found.end());
    } else {
      losses_.insert(losses_.end(), found.begin(), found.end());
    }
    STEPTRACE_RETURN_IF_ERROR(chunks.Take(more.size(), [&](std::vector<Row>* rows) -> Status {
      rows->insert(rows->end(), more.begin(), more.end());
      return {};
    }));
    STEPTRACE_RETURN_IF_ERROR(chunks.WriteChunk());
    STEPTRACE_ASSIGN_OR_RETURN(auto written, queue_.TakeWritten());
    parts.segments.insert(parts.segments.end(), written.begin(), written.end());
    if (chunks.last_ns())
      last_ns_ = std::max(last_ns_.value_or(*chunks.last_ns()), *chunks.last_ns());
    if (!group.files.empty()) parts.absorbed_journals[group.folder] = group.files.back().number + 1;
    return {};
  }

  template <class Row>
  Status AbsorbFile(JournalReader* reader, ChunkWriter<Row>* chunks) {
    RowDecoder<Row> decoder(strings_);
    while (auto batch = reader->Next()) {
      if (!AreColumnsOf<Row>(*batch->schema())) {
        reader->RejectLast(kOtherTable);
        break;
      }
      arrow::Status decoded;
      STEPTRACE_RETURN_IF_ERROR(chunks->Take(static_cast<size_t>(batch->num_rows()),
                                             [&](std::vector<Row>* rows) -> Status {
                                               decoded = decoder.Decode(*batch, {}, rows);
                                               return {};
                                             }));
      if (!decoded.ok()) reader->RejectLast(decoded.message());
    }
    return {};
  }

  const fs::path& run_;
  Manifest* manifest_;
  StringTable& strings_;
  StepFinder* steps_;
  int64_t chunk_bytes_;
  std::optional<int64_t> last_ns_;
  std::vector<DataLossRow> losses_;
  std::vector<fs::path> damaged_;
  SegmentQueue queue_;
};

// The folders where a writer has its segments. A run of format 1 has one writer.
std::vector<fs::path> FoldersOf(const fs::path& run, const std::string& writer) {
  if (writer.empty()) return {run / "tables"};
  std::vector<fs::path> folders = Entries(run / "tables");
  for (fs::path& folder : folders) folder /= "writer=" + writer;
  return folders;
}

// Segments that no manifest names: of an attempt that did not come to its end.
void RemoveStrays(const fs::path& run, const Manifest& manifest) {
  std::set<fs::path> named;
  for (const auto& [table, parts] : manifest.tables) {
    for (const SegmentInfo& segment : parts.segments) named.insert(run / segment.file);
  }
  std::vector<fs::path> strays;
  for (const fs::path& folder : FoldersOf(run, manifest.writer)) {
    std::error_code failed;
    fs::recursive_directory_iterator it(folder, failed);
    for (; !failed && it != fs::recursive_directory_iterator(); it.increment(failed)) {
      if (!it->is_directory(failed) && !named.contains(it->path())) strays.push_back(it->path());
    }
  }
  std::error_code ignored;
  for (const fs::path& stray : strays) fs::remove(stray, ignored);
}

// Journals whose rows are in segments, and folders of journals that hold none any more. Those that
// are damaged are put aside.
void RemoveAbsorbed(const fs::path& run, const Manifest& manifest,
                    const std::vector<fs::path>& damaged) {
  std::error_code failed;
  for (const fs::path& journal : damaged) (void)PutAside(run, journal).ok();
  bool all = true;
  for (const JournalFile& file : JournalsOf(run, manifest)) {
    bool absorbed = IsAbsorbed(manifest, file);
    if (absorbed) fs::remove(file.path, failed);
    all = all && absorbed && !failed;
  }
  if (!all) return;
  fs::remove_all(manifest.writer.empty() ? run / "journal" : JournalDir(run, manifest.writer),
                 failed);
  fs::remove(run / "journal", failed);  // unless others write
}

void FillFromRows(Manifest* manifest, std::optional<int64_t> last_ns) {
  std::set<int32_t> known;
  for (const RankInfo& rank : manifest->ranks) known.insert(rank.rank);
  for (const auto& [table, parts] : manifest->tables) {
    for (const SegmentInfo& segment : parts.segments) {
      if (segment.ts_max_ns) last_ns = std::max(last_ns.value_or(0), *segment.ts_max_ns);
      if (segment.rank.value_or(-1) < 0 || !known.insert(*segment.rank).second) continue;
      RankInfo rank;
      rank.rank = *segment.rank;
      rank.node = segment.node;
      manifest->ranks.push_back(rank);
    }
  }
  if (!manifest->end_ns) manifest->end_ns = last_ns;
}

// Brings the entries of the segments that `before` does not name to the disk, from the run's folder
// down: a file whose entry a crash of the machine takes must not be named.
Status SyncNewFolders(const fs::path& run, const Manifest& before, const Manifest& attempt) {
  std::set<fs::path> folders;
  for (const auto& [table, parts] : attempt.tables) {
    const auto known = before.tables.find(table);
    const size_t old = known == before.tables.end() ? 0 : known->second.segments.size();
    for (size_t i = old; i < parts.segments.size(); ++i) {  // new ones are put at the end
      fs::path folder = fs::path(parts.segments[i].file).parent_path();
      while (folders.insert(folder).second && !folder.empty()) folder = folder.parent_path();
    }
  }
  for (const fs::path& folder : folders) STEPTRACE_RETURN_IF_ERROR(SyncFile(run / folder));
  return {};
}

// Of which losses are that no journal tells of.
int32_t OwnNode(const Manifest& manifest) {
  const auto node = manifest.journal_nodes.find(manifest.writer);
  return node == manifest.journal_nodes.end() ? 0 : node->second;
}

JournalGroup LossesGroup(int32_t node, std::vector<JournalGroup>* groups) {
  JournalGroup losses;
  losses.node = node;
  losses.table = TableOf<DataLossRow>::kName;
  auto found = std::find_if(groups->begin(), groups->end(),
                            [&](const JournalGroup& group) { return group.table == losses.table; });
  if (found == groups->end()) return losses;
  losses = *found;
  groups->erase(found);
  return losses;
}

Status CloseAtOnce(const fs::path& run, Manifest* manifest, StringTable& strings, StepFinder* steps,
                   const CompactionOptions& options) {
  Manifest attempt = *manifest;
  Absorber absorber(run, &attempt, strings, steps, options.chunk_bytes);
  auto groups = GroupJournals(run, attempt);
  JournalGroup losses = LossesGroup(OwnNode(attempt), &groups);
  for (const JournalGroup& group : groups) STEPTRACE_RETURN_IF_ERROR(absorber.Absorb(group));
  STEPTRACE_RETURN_IF_ERROR(absorber.AbsorbLosses(losses, options.losses));
  FillFromRows(&attempt, absorber.last_ns());
  STEPTRACE_RETURN_IF_ERROR(SyncNewFolders(run, *manifest, attempt));
  STEPTRACE_RETURN_IF_ERROR(options.write_manifest(run, attempt));
  *manifest = std::move(attempt);
  RemoveAbsorbed(run, *manifest, absorber.damaged());
  return {};
}

// What of the journals can be moved, smallest first; each that is frees its room for the next.
Status CloseByTable(const fs::path& run, Manifest* manifest, StringTable& strings,
                    StepFinder* steps, const CompactionOptions& options) {
  Status failed;
  std::vector<DataLossRow> losses = options.losses;
  auto groups = GroupJournals(run, *manifest);
  JournalGroup losses_group = LossesGroup(OwnNode(*manifest), &groups);
  std::sort(groups.begin(), groups.end(),
            [](const JournalGroup& a, const JournalGroup& b) { return a.bytes < b.bytes; });
  auto commit = [&](auto&& absorb) {
    Manifest attempt = *manifest;
    Absorber absorber(run, &attempt, strings, steps, options.chunk_bytes);
    Status status = absorb(absorber);
    if (status.ok()) status = SyncNewFolders(run, *manifest, attempt);
    if (status.ok()) status = options.write_manifest(run, attempt);
    if (!status.ok()) {
      RemoveStrays(run, *manifest);
      failed = status;
      return;
    }
    *manifest = std::move(attempt);
    losses.insert(losses.end(), absorber.losses().begin(), absorber.losses().end());
    RemoveAbsorbed(run, *manifest, absorber.damaged());
  };
  for (const JournalGroup& group : groups) {
    commit([&](Absorber& absorber) { return absorber.Absorb(group); });
  }
  commit([&](Absorber& absorber) { return absorber.AbsorbLosses(losses_group, losses); });
  FillFromRows(manifest, std::nullopt);
  STEPTRACE_RETURN_IF_ERROR(options.write_manifest(run, *manifest));
  return failed;
}

}  // namespace

Status CloseRun(const fs::path& run, Manifest* manifest, StringTable& strings,
                const CompactionOptions& options) {
  RemoveStrays(run, *manifest);
  StepFinder steps = StepFinder::OfRun(run, *manifest);
  Status closed = CloseAtOnce(run, manifest, strings, &steps, options);
  if (closed.ok()) return {};
  RemoveStrays(run, *manifest);
  Status by_table = CloseByTable(run, manifest, strings, &steps, options);
  if (by_table.ok()) return {};
  return by_table.error().Of(run.string() +
                             ": closed, but with rows left in its journal (readable as it is)");
}

}  // namespace steptrace::store
