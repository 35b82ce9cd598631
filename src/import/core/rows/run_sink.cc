// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/run_sink.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <tuple>
#include <utility>

#include "analyze/json/stored_finding.h"
#include "base/utf8.h"
#include "import/core/rows/bound_ends.h"
#include "import/core/rows/jobs_apart.h"
#include "import/core/rows/part.h"
#include "import/core/rows/sink_share.h"
#include "import/core/rows/slice_writer.h"
#include "model/finding_kinds.h"
#include "present/words/finding_sentence.h"
#include "store/closed_run.h"

namespace steptrace::import {

namespace finding = model::finding;

namespace {

// Tracks get their numbers at the end, so a parent in another part is kept by part and number.
struct ParentLink {
  Part* part = nullptr;
  int32_t track = 0;
  Part* parent_part = nullptr;
  int32_t parent = 0;
};

}  // namespace

struct RunSink::Impl {
  Impl(std::filesystem::path run, const Limits& limits, Redactor redact)
      : folder(std::move(run)), redactor(std::move(redact)), share(folder, limits) {}

  std::filesystem::path folder;
  Redactor redactor;
  SinkShare share;
  std::vector<std::unique_ptr<PartSink>> sinks;
  std::vector<std::string> notes;
  std::vector<Part*> parts;  // of the sinks
  std::vector<ParentLink> parents;

  void ChooseRanks();
  Status BoundEndsOfParts();
  void LeaveOutDoubles();
  std::set<std::string> Doubles() const;
  int64_t ChooseEpoch(bool* known);
  void NumberTracks();
  int64_t EndNs() const;
  store::Manifest Complete(store::Manifest manifest) const;
};

RunSink::RunSink(std::filesystem::path folder, const Limits& limits, Redactor redactor)
    : impl_(std::make_unique<Impl>(std::move(folder), limits, std::move(redactor))) {}
RunSink::~RunSink() = default;

store::StringId RunSink::Intern(std::string_view text) {
  return open_ != nullptr ? open_->Intern(text) : InternInRun(impl_->share, text).id;
}

size_t RunSink::BeginPart() {
  open_ = &AddPart();
  return impl_->sinks.size() - 1;
}

void RunSink::SelectPart(size_t part) {
  open_ = impl_->sinks[part].get();
}

void RunSink::SetParent(int32_t track, size_t parent_part, int32_t parent) {
  impl_->parents.push_back({&open_->part(), track, impl_->parts[parent_part], parent});
}

const store::StringTable& RunSink::strings() const {
  return impl_->share.strings;
}

PartSink& RunSink::AddPart() {
  {
    std::lock_guard lock(impl_->share.mutex);
    ++impl_->share.filling;
    SpillEnded(impl_->share);
  }
  impl_->sinks.push_back(std::make_unique<PartSink>(impl_->share));
  impl_->parts.push_back(&impl_->sinks.back()->part());
  return *impl_->sinks.back();
}

void RunSink::SetWorkers(size_t workers) {
  impl_->share.workers = static_cast<int64_t>(std::max<size_t>(workers, 1));
}

void RunSink::RunLoss(std::string_view table, LossCause cause, int64_t count,
                      std::optional<model::Finding> said) {
  std::lock_guard lock(impl_->share.mutex);
  if (count != 0) AddLoss(impl_->share.losses, table, cause, count, std::move(said));
}

int64_t RunSink::rows() const {
  int64_t rows = 0;
  for (const Part* part : impl_->parts) rows += part->left_out ? 0 : part->rows;
  return rows;
}

// The same profile twice, as a file and its packed copy: one is enough.
void RunSink::Impl::LeaveOutDoubles() {
  std::map<std::tuple<int32_t, int64_t, int64_t, int64_t, int64_t, uint64_t>, Part*> seen;
  for (Part* part : parts) {
    // What is no rank's, as a node's metrics are, may be alike, and so may what two nodes did. A
    // profile that tells neither rank nor node is not.
    constexpr int32_t kUntold = -2;
    const bool has_host = !part->facts.host.empty() && !part->facts.host_is_guessed;
    const bool reported = has_host || part->slices.size() == 0;
    const int32_t rank = part->facts.rank.value_or(reported ? -1 : kUntold);
    if (part->left_out || rank == -1 || part->bounds.empty()) continue;
    auto [found, added] =
        seen.try_emplace({rank, part->facts.pid, part->slices.size(), part->bounds.first_ns,
                          part->bounds.last_ns, part->content.sum()},
                         part);
    if (added) continue;
    part->left_out = part->is_double = true;
    model::Finding said = Make(
        finding::LossSameProfile{.work = false,
                                 .rank = rank < 0 ? std::nullopt : std::optional<int64_t>(rank),
                                 .file = part->facts.source,
                                 .other = found->second->facts.source});
    notes.push_back(present::SentenceOf(said).text);
    AddLoss(share.losses, "slices", LossCause::kSameProfileTwice, 1, std::move(said));
  }
}

std::set<std::string> RunSink::Impl::Doubles() const {
  std::set<std::string> doubles;
  for (const Part* part : parts) {
    if (part->is_double) doubles.insert(part->facts.source);
  }
  for (const Part* part : parts) {
    if (!part->left_out) doubles.erase(part->facts.source);
  }
  return doubles;
}

// Ranks as the sources say; one that says none, or one that is taken, gets the next free number.
void RunSink::Impl::ChooseRanks() {
  LeaveOutDoubles();
  std::map<int32_t, const Part*> taken;
  for (Part* part : parts) {
    if (part->left_out || !part->facts.rank) continue;
    part->rank = *part->facts.rank;
    if (part->rank >= 0 && !taken.emplace(part->rank, part).second) part->rank = -2;
  }
  int32_t next = 0;
  for (Part* part : parts) {
    if (part->left_out || (part->facts.rank && part->rank != -2)) continue;
    while (taken.count(next) > 0) ++next;
    part->rank = next;
    taken.emplace(next, part);
    if (!part->facts.rank) continue;
    model::Finding said =
        Make(finding::LossSameRank{.rank = *part->facts.rank,
                                   .stored = next,
                                   .file = part->facts.source,
                                   .other = taken[*part->facts.rank]->facts.source});
    notes.push_back(present::SentenceOf(said).text);
    AddLoss(share.losses, "slices", LossCause::kSameRankTwice, 1, std::move(said));
  }
}

// Before the run's begin and end are chosen, which what cannot be would move.
Status RunSink::Impl::BoundEndsOfParts() {
  const int64_t most_bytes = SinkShare::OfOthers(share.limits.max_rows_in_memory);
  for (Part* part : parts) {
    if (part->left_out) continue;
    STEPTRACE_RETURN_IF_ERROR(BoundEnds(*part, share.strings, share.spill, most_bytes));
  }
  return {};
}

// The earliest event of all ranks by UTC; where no clock is known, by the clock that they share.
int64_t RunSink::Impl::ChooseEpoch(bool* known) {
  for (Part* part : parts) {
    auto& offset = part->facts.utc_offset_ns;
    if (offset && !part->bounds.empty() && !IsDate(part->bounds, *offset)) offset.reset();
  }
  bool any_known = false;
  bool any_unknown = false;
  for (const Part* part : parts) {
    if (part->left_out || part->bounds.empty()) continue;
    (part->facts.utc_offset_ns ? any_known : any_unknown) = true;
  }
  *known = any_known;
  int64_t epoch = std::numeric_limits<int64_t>::max();
  for (const Part* part : parts) {
    if (part->left_out || part->bounds.empty()) continue;
    if (any_known && !part->facts.utc_offset_ns) continue;
    epoch = std::min(epoch, part->bounds.first_ns + part->facts.utc_offset_ns.value_or(0));
  }
  if (epoch == std::numeric_limits<int64_t>::max()) epoch = 0;
  for (Part* part : parts) {
    if (part->left_out || part->bounds.empty()) continue;
    part->shift_ns = part->facts.utc_offset_ns.value_or(0) - epoch;
    if (any_known && !part->facts.utc_offset_ns) {
      part->shift_ns = -part->bounds.first_ns;
      AddLoss(part->losses, "slices", LossCause::kClockUnknown, 1,
              Make(finding::LossNoDate{.file = part->facts.source}));
    }
  }
  if (any_unknown && !any_known) {
    AddLoss(share.losses, "tracks", LossCause::kDateUnknown, 1);
  }
  return epoch;
}

// One after another, as the run numbers them.
void RunSink::Impl::NumberTracks() {
  int32_t next = 0;
  for (Part* part : parts) {
    if (part->left_out) continue;
    part->first_track = next;
    next += static_cast<int32_t>(part->tracks.size());
    for (store::TrackRow& track : part->tracks) {
      track.track += part->first_track;
      if (track.parent) *track.parent += part->first_track;
      track.rank = part->rank;
      track.node = part->facts.node;
    }
  }
  for (const ParentLink& link : parents) {
    if (link.part->left_out || link.parent_part->left_out) continue;
    link.part->tracks[static_cast<size_t>(link.track)].parent =
        link.parent_part->first_track + link.parent;
  }
}

int64_t RunSink::Impl::EndNs() const {
  int64_t end = 0;
  for (const Part* part : parts) {
    if (!part->left_out && !part->bounds.empty()) {
      end = std::max(end, part->bounds.last_ns + part->shift_ns);
    }
  }
  return end;
}

store::Manifest RunSink::Impl::Complete(store::Manifest manifest) const {
  manifest.end_ns = EndNs();
  std::map<int32_t, store::NodeInfo> nodes;
  for (const Part* part : parts) {
    if (part->left_out) continue;
    manifest.versions.insert(part->versions.begin(), part->versions.end());
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

constexpr size_t kSegmentRows = 1 << 17;

// Writes small tables: sorted by time, in segments of bounded size.
template <class Row>
Status WriteRows(std::vector<Row> rows, const store::StringTable& strings, int32_t node,
                 int32_t rank, int64_t* number, store::ClosedRun& run) {
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

// As the run counts and numbers.
template <class Row>
void Place(Row& row, const Part& part) {
  row.ts_ns += part.shift_ns;
  if constexpr (requires { row.node; }) row.node = part.facts.node;
  if constexpr (requires { row.rank; }) row.rank = part.rank;
  if constexpr (requires { row.track += 1; }) {
    row.track += part.first_track;
  } else if constexpr (requires { *row.track += 1; }) {
    if (row.track) *row.track += part.first_track;
  }
}

// Writes rows of which memory may hold a part only.
template <class Row>
Status WriteSorted(SortedRows<Row>& rows, const Part& part, const store::StringTable& strings,
                   int64_t* number, store::ClosedRun& run, const std::function<bool()>& stopped) {
  std::vector<Row> segment;
  segment.reserve(std::min(kSegmentRows, rows.size()));
  auto write = [&]() -> Status {
    if (stopped && stopped()) return Error{"stopped"};
    STEPTRACE_RETURN_IF_ERROR(
        run.Write<Row>(segment, strings, part.facts.node, part.rank, (*number)++));
    segment.clear();
    return {};
  };
  typename SortedRows<Row>::Reader reader(rows);
  for (; reader.Front() != nullptr; reader.Pop()) {
    Place(segment.emplace_back(*reader.Front()), part);
    if (segment.size() == kSegmentRows) STEPTRACE_RETURN_IF_ERROR(write());
  }
  STEPTRACE_RETURN_IF_ERROR(reader.status());
  return segment.empty() ? Status() : write();
}

Status WriteFacts(Part& part, const store::StringTable& strings, int64_t* number,
                  store::ClosedRun& run, const std::function<bool()>& stopped) {
  constexpr size_t kMostBytes = 16 << 20;  // of texts in a segment
  std::vector<store::RunMetadataRow> segment;
  size_t bytes = 0;
  auto write = [&]() -> Status {
    if (!segment.empty() && stopped && stopped()) return Error{"stopped"};
    bytes = 0;
    return WriteRows(std::exchange(segment, {}), strings, part.facts.node, part.rank, number, run);
  };
  FactRows::Reader reader(part.fact_rows, part.shift_ns);
  while (true) {
    store::RunMetadataRow row;
    STEPTRACE_ASSIGN_OR_RETURN(const bool more, reader.Next(&row));
    if (!more) return write();
    row.node = part.facts.node;
    row.rank = part.rank;
    bytes += row.json.size();
    segment.push_back(std::move(row));
    if (segment.size() == kSegmentRows || bytes >= kMostBytes) STEPTRACE_RETURN_IF_ERROR(write());
  }
}

std::vector<store::DataLossRow> LossRows(const Losses& losses, int32_t node, int32_t rank,
                                         store::StringTable& strings) {
  std::vector<store::DataLossRow> rows;
  for (const auto& [key, entry] : losses) {
    store::DataLossRow row;
    row.node = node;
    row.rank = rank;
    row.table = strings.Intern(key.first);
    row.cause = strings.Intern(NameOf(key.second));
    row.count = entry.count;
    if (entry.said) {
      nlohmann::ordered_json evidence = nlohmann::ordered_json::object();
      analyze::AddFinding(*entry.said, evidence);
      row.evidence =
          evidence.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
      row.detail = CleanUtf8(present::SentenceOf(*entry.said).text);
    } else {
      row.detail = DetailOf(key.second);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Result<SinkSummary> RunSink::Finish(store::Manifest manifest,
                                    const std::function<bool()>& stopped) {
  Impl& impl = *impl_;
  STEPTRACE_RETURN_IF_ERROR(impl.share.failed);
  impl.ChooseRanks();
  STEPTRACE_RETURN_IF_ERROR(CheckOneJob(impl.parts));
  STEPTRACE_RETURN_IF_ERROR(impl.BoundEndsOfParts());
  bool utc_known = false;
  int64_t epoch_ns = impl.ChooseEpoch(&utc_known);
  manifest.epoch_utc_ns = utc_known ? epoch_ns : 0;
  manifest = impl.Complete(std::move(manifest));
  impl.NumberTracks();
  SinkSummary summary;
  summary.ranks = static_cast<int64_t>(manifest.ranks.size());
  summary.doubles = impl.Doubles();
  for (const Part* part : impl.parts) {
    if (!part->left_out) summary.sources.insert(part->facts.source);
  }
  store::ClosedRun run(impl.folder, impl.redactor);
  store::StringTable& strings = impl.share.strings;
  std::vector<std::vector<store::DataLossRow>>
      losses;  // interned before the writers read the strings
  for (Part* part : impl.parts) {
    losses.push_back(LossRows(part->losses, part->facts.node, part->rank, strings));
  }
  auto run_losses = LossRows(impl.share.losses, 0, -1, strings);
  SliceWriter slices(run, strings, stopped);
  int64_t number = 0;
  for (size_t i = 0; i < impl.parts.size(); ++i) {
    Part& part = *impl.parts[i];
    if (part.left_out) continue;
    summary.losses += static_cast<int64_t>(losses[i].size());
    int32_t node = part.facts.node;
    STEPTRACE_RETURN_IF_ERROR(slices.Write(
        part.slices, part.flows, {node, part.rank, part.first_track, part.shift_ns, part.tracks}));
    auto write = [&](auto& rows) {
      return WriteRows(std::move(rows), strings, node, part.rank, &number, run);
    };
    auto write_sorted = [&](auto& rows) {
      return WriteSorted(rows, part, strings, &number, run, stopped);
    };
    STEPTRACE_RETURN_IF_ERROR(write(part.tracks));
    STEPTRACE_RETURN_IF_ERROR(write_sorted(part.counters));
    STEPTRACE_RETURN_IF_ERROR(write_sorted(part.memory));
    STEPTRACE_RETURN_IF_ERROR(write_sorted(part.steps));
    STEPTRACE_RETURN_IF_ERROR(WriteFacts(part, strings, &number, run, stopped));
    STEPTRACE_RETURN_IF_ERROR(write(losses[i]));
  }
  STEPTRACE_RETURN_IF_ERROR(slices.Finish());
  summary.losses += static_cast<int64_t>(run_losses.size());
  STEPTRACE_RETURN_IF_ERROR(WriteRows(std::move(run_losses), strings, 0, -1, &number, run));
  impl.share.spill.Remove();
  STEPTRACE_RETURN_IF_ERROR(run.Close(std::move(manifest)));
  summary.notes = impl.notes;
  return summary;
}

}  // namespace steptrace::import
