// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/trace_merge.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/finding_kinds.h"
#include "store/run_reader.h"
#include "store/stored_words.h"

namespace steptrace::agent {
namespace {

// What the thread of a profile is called that is not a thread of the system (spans, async ranges).
constexpr int64_t kMaxTid = 1 << 22;  // the kernel's own limit of pids

// One profile on its way into a run.
class Merge {
 public:
  Merge(store::RunReader& from, const TraceOwner& owner, const TrackRegistry::Process& process,
        store::RunWriter& writer, TrackRegistry& tracks)
      : from_(from),
        owner_(owner),
        process_(process),
        writer_(writer),
        tracks_(tracks),
        shift_ns_(from.manifest().epoch_utc_ns - owner.epoch_utc_ns) {}

  Result<MergedTrace> Run(LossBook& losses) {
    STEPTRACE_ASSIGN_OR_RETURN(const auto rows, from_.Read<store::TrackRow>());
    for (const store::TrackRow& row : rows) track_of_[row.track] = TrackOf(row);
    STEPTRACE_RETURN_IF_ERROR(
        from_.ReadBatches<store::SliceRow>({}, [this](std::span<const store::SliceRow> slices) {
          for (const store::SliceRow& slice : slices) Take(slice);
          return Status();
        }));
    STEPTRACE_RETURN_IF_ERROR(
        from_.ReadBatches<store::MemoryRow>({}, [this](std::span<const store::MemoryRow> memory) {
          for (const store::MemoryRow& row : memory) Take(row);
          return Status();
        }));
    STEPTRACE_ASSIGN_OR_RETURN(const auto lost, from_.Read<store::DataLossRow>());
    for (const store::DataLossRow& row : lost) Take(row, losses);
    return merged_;
  }

 private:
  std::optional<int32_t> TrackOf(const store::TrackRow& row) {
    const auto kind = store::TrackKindOf(from_.Text(row.kind));
    if (kind == store::TrackKind::kStream && row.device && row.stream) {
      return tracks_.AddStream(process_.track, process_.rank, owner_.pid, *row.device, *row.stream,
                               row.name);
    }
    if (kind != store::TrackKind::kThread || row.pid != owner_.pid || !row.tid) return std::nullopt;
    if (*row.tid <= 0 || *row.tid > kMaxTid) return std::nullopt;
    const auto tid = static_cast<int32_t>(*row.tid);
    if (const auto known = tracks_.ThreadOf(owner_.pid, tid)) return known;
    return tracks_.AddThread(process_.track, process_.rank, owner_.pid, tid, row.name);
  }

  store::StringId Text(store::StringId id) {
    const auto at = static_cast<size_t>(id);
    if (at >= texts_.size()) texts_.resize(at + 1);
    if (!texts_[at]) {
      const std::string& text = from_.Text(id);
      texts_[at] = writer_.strings().Intern(text);
    }
    return *texts_[at];
  }

  store::StringId Category(store::StringId id) {
    return from_.Text(id) == "cpu_op" ? writer_.strings().Intern("operator") : Text(id);
  }

  void Take(store::SliceRow row) {
    const auto track = track_of_.find(row.track);
    // The profiler's marks of its own begin and end are the window's here.
    if (track == track_of_.end() || !track->second || from_.Text(row.category) == "Trace") {
      ++merged_.left_out;
      return;
    }
    row.ts_ns += shift_ns_;
    row.track = *track->second;
    row.rank = process_.rank;
    row.name = Text(row.name);
    row.category = Category(row.category);
    row.details = Text(row.details);
    row.step = std::nullopt;
    writer_.Append(row);
    ++merged_.slices;
  }

  void Take(store::MemoryRow row) {
    row.ts_ns += shift_ns_;
    row.rank = process_.rank;
    if (row.track) {
      const auto track = track_of_.find(*row.track);
      row.track = track == track_of_.end() ? std::nullopt : track->second;
    }
    writer_.Append(row);
    ++merged_.allocations;
  }

  void Take(const store::DataLossRow& row, LossBook& losses) {
    losses.Once(
        {process_.rank, owner_.pid}, LossCause::kProfile, row.count, owner_.now_ns,
        Make(model::finding::LossOfProfile{.cause = from_.Text(row.cause), .detail = row.detail}));
  }

  store::RunReader& from_;
  const TraceOwner owner_;
  const TrackRegistry::Process process_;
  store::RunWriter& writer_;
  TrackRegistry& tracks_;
  int64_t shift_ns_;
  std::map<int32_t, std::optional<int32_t>> track_of_;
  std::vector<std::optional<store::StringId>> texts_;
  MergedTrace merged_;
};

}  // namespace

Result<MergedTrace> MergeTrace(const std::filesystem::path& imported, const TraceOwner& owner,
                               store::RunWriter& writer, TrackRegistry& tracks, LossBook& losses) {
  const auto process = tracks.ProcessOf(owner.pid);
  if (!process) {
    return Error{fmt::format("process {} does not belong to this run", owner.pid),
                 "its profile stays"};
  }
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader from, store::RunReader::Open(imported));
  if (from.manifest().epoch_utc_ns <= 0) {
    return Error{imported.string() + ": the profile's clock is not known", "it stays as it is"};
  }
  return Merge(from, owner, *process, writer, tracks).Run(losses);
}

}  // namespace steptrace::agent
