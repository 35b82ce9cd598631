// SPDX-License-Identifier: Apache-2.0
#include "import/run_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "import/part_rows.h"
#include "import/slice_writer.h"
#include "store/closed_run.h"

namespace steptrace::import {
namespace {

constexpr size_t kMostTracks = 1 << 18;
constexpr std::string_view kTextPlaceholder = "(text left out)";

struct LossEntry {
  int64_t count = 0;
  std::string detail;
};
using Losses = std::map<std::pair<std::string, std::string>, LossEntry>;  // by table and cause

void AddLoss(Losses& losses, std::string_view table, std::string_view cause, int64_t count,
             std::string_view detail) {
  auto [found, added] =
      losses.try_emplace({std::string(table), std::string(cause)}, LossEntry{0, ""});
  if (added) found->second.detail = detail;
  found->second.count += count;
}

// Bounds of the times of a part, by its own clock.
struct Bounds {
  int64_t first_ns = std::numeric_limits<int64_t>::max();
  int64_t last_ns = std::numeric_limits<int64_t>::min();

  void Take(int64_t from_ns, int64_t to_ns) {
    first_ns = std::min(first_ns, from_ns);
    last_ns = std::max(last_ns, to_ns);
  }
  bool empty() const { return first_ns > last_ns; }
};

}  // namespace

struct RunSink::Part {
  PartFacts facts;
  Bounds bounds;
  PartRows slices;
  std::vector<Flow> flows;
  std::vector<store::CounterRow> counters;
  std::vector<store::MemoryRow> memory;
  std::vector<store::StepRow> steps;
  std::vector<store::FactRow> fact_rows;
  Losses losses;
  int32_t rank = -1;      // as it will be stored
  int64_t shift_ns = 0;   // from its own clock to the run's
  bool left_out = false;  // the same profile as another part
};

struct RunSink::Impl {
  Impl(std::filesystem::path run, const Limits& run_limits)
      : folder(std::move(run)), limits(run_limits), spill(folder / "rows.partial") {}

  std::filesystem::path folder;
  Limits limits;
  SpillFile spill;
  std::vector<std::unique_ptr<Part>> parts;
  Part* open = nullptr;
  size_t open_number = 0;
  std::vector<store::TrackRow> tracks;
  std::vector<size_t> part_of_track;
  Losses run_losses;
  std::map<std::string, std::string> versions;
  int64_t text_bytes = 0;
  int64_t rows_in_memory = 0;
  std::vector<std::string> notes;

  void ChooseRanks();
  void LeaveOutDoubles();
  int64_t ChooseEpoch(bool* known);
  int64_t EndNs() const;
  Status Spill();
  store::Manifest Complete(store::Manifest manifest) const;
};

RunSink::RunSink(std::filesystem::path folder, const Limits& limits)
    : impl_(std::make_unique<Impl>(std::move(folder), limits)) {}
RunSink::~RunSink() = default;

size_t RunSink::BeginPart() {
  impl_->parts.push_back(std::make_unique<Part>());
  impl_->open = impl_->parts.back().get();
  impl_->open_number = impl_->parts.size() - 1;
  return impl_->open_number;
}

void RunSink::SelectPart(size_t part) {
  impl_->open = impl_->parts[part].get();
  impl_->open_number = part;
}

void RunSink::EndPart(PartFacts facts) {
  impl_->open->facts = std::move(facts);
  impl_->open = nullptr;
}

void RunSink::DropPart() {
  Part dropped;
  dropped.left_out = true;
  std::swap(*impl_->open, dropped);
  impl_->open = nullptr;
  total_rows_ -= dropped.slices.size();
  for (size_t rows : {dropped.counters.size(), dropped.memory.size(), dropped.steps.size()}) {
    total_rows_ -= static_cast<int64_t>(rows);
  }
}

store::StringId RunSink::Intern(std::string_view text) {
  int32_t before = strings_.size();
  if (impl_->text_bytes > impl_->limits.max_text_bytes) {
    store::StringId id{};
    if (strings_.Find(text, &id)) return id;
    RunLoss("slices", "text_limit", 1,
            "texts (names, shapes, stacks) beyond the limit of memory for them were left out");
    return strings_.Intern(kTextPlaceholder);
  }
  store::StringId id = strings_.Intern(text);
  if (strings_.size() != before) impl_->text_bytes += static_cast<int64_t>(text.size()) + 96;
  return id;
}

int32_t RunSink::AddTrack(store::TrackRow row, std::string_view kind) {
  if (impl_->tracks.size() >= kMostTracks) {
    Loss("tracks", "too_many_tracks", 1, "threads and streams beyond the first 262144");
    return -1;
  }
  row.kind = Intern(kind);
  row.track = static_cast<int32_t>(impl_->tracks.size());
  impl_->tracks.push_back(std::move(row));
  impl_->part_of_track.push_back(impl_->open_number);
  return impl_->tracks.back().track;
}

store::TrackRow& RunSink::Track(int32_t track) {
  return impl_->tracks[static_cast<size_t>(track)];
}

Status RunSink::Append(const Slice& slice) {
  impl_->open->bounds.Take(slice.ts_ns, slice.ts_ns + std::max<int64_t>(slice.dur_ns, 0));
  return AppendMark(slice);
}

void RunSink::AddFlow(int32_t track, int64_t ts_ns, int64_t id, bool out) {
  impl_->open->flows.push_back({ts_ns, id, track, out});
}

Status RunSink::AppendMark(const Slice& slice) {
  impl_->open->slices.Append(slice);
  ++total_rows_;
  impl_->rows_in_memory += static_cast<int64_t>(sizeof(Slice));
  if (impl_->rows_in_memory < impl_->limits.max_rows_in_memory) return {};
  return impl_->Spill();
}

Status RunSink::Impl::Spill() {
  for (auto& part : parts) STEPTRACE_RETURN_IF_ERROR(part->slices.Spill(spill));
  rows_in_memory = 0;
  return {};
}

Status RunSink::Append(const store::CounterRow& row) {
  impl_->open->bounds.Take(row.ts_ns, row.ts_ns);
  impl_->open->counters.push_back(row);
  ++total_rows_;
  return {};
}

Status RunSink::Append(const store::MemoryRow& row) {
  impl_->open->bounds.Take(row.ts_ns, row.ts_ns);
  impl_->open->memory.push_back(row);
  ++total_rows_;
  return {};
}

void RunSink::Append(store::StepRow row) {
  impl_->open->bounds.Take(row.ts_ns, row.ts_ns + row.dur_ns);
  impl_->open->steps.push_back(std::move(row));
  ++total_rows_;
}

void RunSink::Fact(std::optional<int64_t> ts_ns, std::string_view kind, std::string json,
                   int64_t pid) {
  store::FactRow row;
  row.ts_ns = ts_ns.value_or(kNull);
  row.kind = Intern(kind);
  row.json = std::move(json);
  row.pid = pid;
  impl_->open->fact_rows.push_back(std::move(row));
}

void RunSink::Loss(std::string_view table, std::string_view cause, int64_t count,
                   std::string_view detail) {
  if (count != 0) AddLoss(impl_->open->losses, table, cause, count, detail);
}

void RunSink::RunLoss(std::string_view table, std::string_view cause, int64_t count,
                      std::string_view detail) {
  if (count != 0) AddLoss(impl_->run_losses, table, cause, count, detail);
}

void RunSink::Version(const std::string& framework, const std::string& version) {
  impl_->versions.emplace(framework, version);
}

// The same profile twice, as a file and its packed copy: one is enough.
void RunSink::Impl::LeaveOutDoubles() {
  std::map<std::tuple<int32_t, int64_t, int64_t, int64_t, int64_t>, Part*> seen;
  for (auto& part : parts) {
    if (part->left_out || part->facts.rank.value_or(-1) < 0 || part->bounds.empty()) continue;
    auto [found, added] = seen.try_emplace({*part->facts.rank, part->facts.pid, part->slices.size(),
                                            part->bounds.first_ns, part->bounds.last_ns},
                                           part.get());
    if (added) continue;
    part->left_out = true;
    std::string note =
        fmt::format("{}: the same profile of rank {} as {}; left out", part->facts.source,
                    *part->facts.rank, found->second->facts.source);
    AddLoss(run_losses, "slices", "same_profile_twice", 1, note);
    notes.push_back(std::move(note));
  }
}

// Ranks as the sources say; one that says none, or one that is taken, gets the next free number.
void RunSink::Impl::ChooseRanks() {
  LeaveOutDoubles();
  std::map<int32_t, const Part*> taken;
  for (auto& part : parts) {
    if (part->left_out || !part->facts.rank) continue;
    part->rank = *part->facts.rank;
    if (part->rank >= 0 && !taken.emplace(part->rank, part.get()).second) part->rank = -2;
  }
  int32_t next = 0;
  for (auto& part : parts) {
    if (part->left_out || (part->facts.rank && part->rank != -2)) continue;
    while (taken.count(next) > 0) ++next;
    part->rank = next;
    taken.emplace(next, part.get());
    if (!part->facts.rank) continue;
    std::string note = fmt::format("{}: rank {} as {} too; stored as rank {}", part->facts.source,
                                   *part->facts.rank, taken[*part->facts.rank]->facts.source, next);
    AddLoss(run_losses, "slices", "same_rank_twice", 1, note);
    notes.push_back(std::move(note));
  }
}

namespace {

// Whether times plus the distance of their clock to UTC stay where sums of two do not overflow.
bool IsDate(const Bounds& bounds, int64_t offset_ns) {
  constexpr int64_t kMostNs = int64_t{1} << 62;  // the year 2116
  for (int64_t ns : {bounds.first_ns, bounds.last_ns}) {
    int64_t date = 0;
    if (__builtin_add_overflow(ns, offset_ns, &date) || date >= kMostNs || date <= -kMostNs) {
      return false;
    }
  }
  return offset_ns < kMostNs && offset_ns > -kMostNs;
}

}  // namespace

// The earliest event of all ranks by UTC; where no clock is known, by the clock that they share.
int64_t RunSink::Impl::ChooseEpoch(bool* known) {
  for (const auto& part : parts) {
    auto& offset = part->facts.utc_offset_ns;
    if (offset && !part->bounds.empty() && !IsDate(part->bounds, *offset)) offset.reset();
  }
  bool any_known = false;
  bool any_unknown = false;
  for (const auto& part : parts) {
    if (part->left_out || part->bounds.empty()) continue;
    (part->facts.utc_offset_ns ? any_known : any_unknown) = true;
  }
  *known = any_known;
  int64_t epoch = std::numeric_limits<int64_t>::max();
  for (const auto& part : parts) {
    if (part->left_out || part->bounds.empty()) continue;
    if (any_known && !part->facts.utc_offset_ns) continue;
    epoch = std::min(epoch, part->bounds.first_ns + part->facts.utc_offset_ns.value_or(0));
  }
  if (epoch == std::numeric_limits<int64_t>::max()) epoch = 0;
  for (auto& part : parts) {
    if (part->left_out || part->bounds.empty()) continue;
    part->shift_ns = part->facts.utc_offset_ns.value_or(0) - epoch;
    if (any_known && !part->facts.utc_offset_ns) {
      part->shift_ns = -part->bounds.first_ns;
      AddLoss(part->losses, "slices", "clock_unknown", 1,
              fmt::format("{}: its times have no date; its first event was put at the run's begin",
                          part->facts.source));
    }
  }
  if (any_unknown && !any_known) {
    AddLoss(run_losses, "tracks", "date_unknown", 1,
            "the profile's times have no date: only their distances are known");
  }
  return epoch;
}

int64_t RunSink::Impl::EndNs() const {
  int64_t end = 0;
  for (const auto& part : parts) {
    if (!part->left_out && !part->bounds.empty()) {
      end = std::max(end, part->bounds.last_ns + part->shift_ns);
    }
  }
  return end;
}

store::Manifest RunSink::Impl::Complete(store::Manifest manifest) const {
  manifest.end_ns = EndNs();
  manifest.versions = versions;
  std::map<int32_t, store::NodeInfo> nodes;
  for (const auto& part : parts) {
    if (part->left_out) continue;
    store::NodeInfo& node = nodes[part->facts.node];
    node.node = part->facts.node;
    if (node.host.empty()) node.host = part->facts.host;
    if (part->rank < 0) continue;
    store::RankInfo rank;
    rank.rank = part->rank;
    rank.node = part->facts.node;
    rank.local_rank = part->facts.local_rank;
    rank.world_size = part->facts.world_size;
    rank.pid = part->facts.pid;
    manifest.ranks.push_back(rank);
  }
  for (auto& [number, node] : nodes) manifest.nodes.push_back(std::move(node));
  std::sort(manifest.ranks.begin(), manifest.ranks.end(),
            [](const auto& a, const auto& b) { return a.rank < b.rank; });
  return manifest;
}

namespace {

// Writes small tables: sorted by time, in segments of bounded size.
template <class Row>
Status WriteRows(std::vector<Row> rows, const store::StringTable& strings, int32_t node,
                 int32_t rank, int64_t* number, store::ClosedRun& run) {
  constexpr size_t kSegmentRows = 1 << 17;
  if constexpr (requires(Row row) { row.ts_ns; }) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.ts_ns < b.ts_ns; });
  }
  for (size_t begin = 0; begin < rows.size(); begin += kSegmentRows) {
    size_t count = std::min(kSegmentRows, rows.size() - begin);
    STEPTRACE_RETURN_IF_ERROR(run.Write<Row>(std::span<const Row>(rows).subspan(begin, count),
                                             strings, node, rank, (*number)++));
  }
  return {};
}

template <class Row>
void Shift(std::vector<Row>& rows, int64_t shift_ns, int32_t node, int32_t rank) {
  for (Row& row : rows) {
    row.ts_ns = row.ts_ns == kNull ? 0 : row.ts_ns + shift_ns;
    if constexpr (requires { row.node; }) row.node = node;
    if constexpr (requires { row.rank; }) row.rank = rank;
  }
}

std::vector<store::LossRow> LossRows(const Losses& losses, int32_t node, int32_t rank,
                                     store::StringTable& strings) {
  std::vector<store::LossRow> rows;
  for (const auto& [key, entry] : losses) {
    store::LossRow row;
    row.node = node;
    row.rank = rank;
    row.table = strings.Intern(key.first);
    row.cause = strings.Intern(key.second);
    row.count = entry.count;
    row.detail = entry.detail;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Result<SinkSummary> RunSink::Finish(store::Manifest manifest) {
  Impl& impl = *impl_;
  impl.ChooseRanks();
  bool utc_known = false;
  int64_t epoch_ns = impl.ChooseEpoch(&utc_known);
  manifest.epoch_utc_ns = utc_known ? epoch_ns : 0;
  manifest = impl.Complete(std::move(manifest));
  SinkSummary summary;
  summary.ranks = static_cast<int64_t>(manifest.ranks.size());
  store::ClosedRun run(impl.folder);
  int64_t number = 0;
  for (size_t i = 0; i < impl.tracks.size(); ++i) {
    const Part& part = *impl.parts[impl.part_of_track[i]];
    impl.tracks[i].rank = part.rank;
    impl.tracks[i].node = part.facts.node;
  }
  std::vector<std::vector<store::LossRow>> losses;  // interned before the writers read the strings
  for (auto& part : impl.parts) {
    losses.push_back(LossRows(part->losses, part->facts.node, part->rank, strings_));
  }
  auto run_losses = LossRows(impl.run_losses, 0, -1, strings_);
  SliceWriter slices(run, strings_);
  for (size_t i = 0; i < impl.parts.size(); ++i) {
    Part& part = *impl.parts[i];
    if (part.left_out) continue;
    summary.losses += static_cast<int64_t>(losses[i].size());
    int32_t node = part.facts.node;
    STEPTRACE_RETURN_IF_ERROR(
        slices.Write(part.slices, part.flows, node, part.rank, part.shift_ns));
    Shift(part.counters, part.shift_ns, node, part.rank);
    Shift(part.memory, part.shift_ns, node, part.rank);
    Shift(part.steps, part.shift_ns, node, part.rank);
    Shift(part.fact_rows, part.shift_ns, node, part.rank);
    std::vector<store::TrackRow> tracks;
    for (size_t t = 0; t < impl.tracks.size(); ++t) {
      if (impl.part_of_track[t] == i) tracks.push_back(impl.tracks[t]);
    }
    auto write = [&](auto& rows) {
      return WriteRows(std::move(rows), strings_, node, part.rank, &number, run);
    };
    STEPTRACE_RETURN_IF_ERROR(write(tracks));
    STEPTRACE_RETURN_IF_ERROR(write(part.counters));
    STEPTRACE_RETURN_IF_ERROR(write(part.memory));
    STEPTRACE_RETURN_IF_ERROR(write(part.steps));
    STEPTRACE_RETURN_IF_ERROR(write(part.fact_rows));
    STEPTRACE_RETURN_IF_ERROR(write(losses[i]));
  }
  STEPTRACE_RETURN_IF_ERROR(slices.Finish());
  summary.losses += static_cast<int64_t>(run_losses.size());
  STEPTRACE_RETURN_IF_ERROR(WriteRows(std::move(run_losses), strings_, 0, -1, &number, run));
  impl.spill.Remove();
  STEPTRACE_RETURN_IF_ERROR(run.Close(std::move(manifest)));
  summary.notes = impl.notes;
  return summary;
}

}  // namespace steptrace::import
