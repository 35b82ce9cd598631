// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/divide_part.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "import/core/rows/part.h"

namespace steptrace::import {
namespace {

constexpr std::string_view kOwnMarks = "Trace";
// Of facts that are copied: a source tells few, and a hostile one must not have them times its
// ranks.
constexpr size_t kMostCopiedBytes = 16 << 20;

class Division {
 public:
  Division(PartSink& sink, std::span<const size_t> places, std::span<PartSink* const> parts,
           const store::StringTable& strings)
      : sink_(sink), whole_(sink.part()), places_(places), parts_(parts), strings_(strings) {
    has_marks_ = strings.Find(kOwnMarks, &mark_);
  }

  Status Run() {
    Tracks();
    STEPTRACE_RETURN_IF_ERROR(Slices());
    STEPTRACE_RETURN_IF_ERROR(EmitAll(whole_.flows, [this](const Flow& flow) {
      const int32_t track = Track(flow.track);
      return track < 0 ? Status() : To(flow.track).AddFlow(track, flow.ts_ns, flow.id, flow.out);
    }));
    STEPTRACE_RETURN_IF_ERROR(EmitAll(whole_.counters, [this](store::CounterRow row) {
      PartSink& to = To(row.track);
      row.track = Track(row.track);
      return row.track < 0 ? Status() : to.Append(row);
    }));
    STEPTRACE_RETURN_IF_ERROR(EmitAll(whole_.memory, [this](store::MemoryRow row) {
      PartSink& to = row.track ? To(*row.track) : *parts_.front();
      if (row.track) row.track = Track(*row.track);
      if (row.track == -1) row.track.reset();
      return to.Append(row);
    }));
    STEPTRACE_RETURN_IF_ERROR(EmitAll(
        whole_.steps, [this](const store::StepRow& row) { return parts_.front()->Append(row); }));
    STEPTRACE_RETURN_IF_ERROR(Facts());
    for (const auto& [key, loss] : whole_.losses) {
      parts_.front()->Loss(key.first, key.second, loss.count, loss.said);
    }
    for (const auto& [name, version] : whole_.versions) {
      for (PartSink* part : parts_) part->Version(name, version);
    }
    return {};
  }

 private:
  PartSink& To(int32_t track) { return *parts_[places_[static_cast<size_t>(track)]]; }
  int32_t Track(int32_t track) const { return tracks_[static_cast<size_t>(track)]; }

  // Parents have lower numbers than what lies on them.
  void Tracks() {
    std::vector<store::TrackRow> before = sink_.TakeTracks();
    for (store::TrackRow& row : before) {
      if (row.parent) row.parent = Track(*row.parent);
      PartSink& to = To(row.track);
      const auto kind = store::TrackKindOf(strings_.Text(row.kind));
      tracks_.push_back(to.AddTrack(std::move(row), *kind));  // a sink's are known
    }
  }

  Status Slices() {
    return whole_.slices.ForEachBlock([this](const SliceBlock& block, size_t) -> Status {
      for (size_t row = 0; row < block.size(); ++row) {
        Slice slice = block.At(row);
        PartSink& to = To(slice.track);
        slice.track = Track(slice.track);
        if (slice.track < 0) continue;  // counted as a track too many
        const bool is_mark = has_marks_ && slice.category == mark_;
        STEPTRACE_RETURN_IF_ERROR(is_mark ? to.AppendMark(slice) : to.Append(slice));
      }
      return {};
    });
  }

  template <class Row, class Before, class Assign>
  static Status EmitAll(SortedRows<Row, Before>& rows, Assign assign) {
    typename SortedRows<Row, Before>::Reader reader(rows);
    for (; reader.Front() != nullptr; reader.Pop()) {
      STEPTRACE_RETURN_IF_ERROR(assign(*reader.Front()));
    }
    return reader.status();
  }

  // How many parts get the fact: all, until what was copied is too much.
  size_t HoldersOf(const store::RunMetadataRow& row) {
    const size_t bytes = (sizeof(row) + row.json.size()) * (parts_.size() - 1);
    if (bytes > kMostCopiedBytes - copied_bytes_) return 1;
    copied_bytes_ += bytes;
    return parts_.size();
  }

  Status Facts() {
    FactRows::Reader reader(whole_.fact_rows, 0);
    while (true) {
      store::RunMetadataRow row;
      STEPTRACE_ASSIGN_OR_RETURN(const bool more, reader.Next(&row));
      if (!more) return {};
      // Those without a time come as 0, which is before all that has one.
      const auto ts_ns = row.ts_ns == 0 ? std::nullopt : std::optional(row.ts_ns);
      for (PartSink* part : parts_.first(HoldersOf(row))) {
        part->Fact(ts_ns, strings_.Text(row.kind), row.json, row.pid);
      }
    }
  }

  PartSink& sink_;
  Part& whole_;
  const std::span<const size_t> places_;
  const std::span<PartSink* const> parts_;
  const store::StringTable& strings_;
  store::StringId mark_{};
  bool has_marks_ = false;
  size_t copied_bytes_ = 0;
  std::vector<int32_t> tracks_;  // where they are now, by what they were
};

}  // namespace

Status DividePart(PartSink& whole, std::span<const size_t> places, std::span<PartSink* const> parts,
                  const store::StringTable& strings) {
  const Status given = Division(whole, places, parts, strings).Run();
  whole.Drop();
  return given;
}

}  // namespace steptrace::import
