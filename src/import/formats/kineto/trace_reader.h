// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/core/rows/losses.h"
#include "import/core/rows/part.h"
#include "import/core/rows/part_sink.h"
#include "import/core/writer_marks.h"
#include "import/formats/kineto/document.h"
#include "import/formats/kineto/event_texts.h"
#include "import/formats/kineto/event_times.h"
#include "import/formats/kineto/file_categories.h"
#include "import/formats/kineto/held_rows.h"
#include "import/formats/kineto/line_events.h"
#include "import/formats/kineto/open_ranges.h"
#include "import/formats/kineto/reads.h"
#include "import/formats/kineto/trace_members.h"
#include "import/formats/kineto/trace_tracks.h"

namespace steptrace::import::kineto {

// Turns the events of one trace file into rows of a part.
//
// Or those of a piece from its middle into rows of their own, before what stands ahead of it is
// known. Then it refuses the first event that depends on that: an end without its begin, say.
class TraceReader : public DocumentHandler {
 public:
  // The sink fills parts or pieces, as the reader does.
  TraceReader(PartSink& sink, TextCache& texts, Reads reads = Reads::kFile);

  void OnMember(std::string_view key, const json::Value& value) override;
  Status OnEvent(const RawEvent& event) override;

  // What the file has named so far. For any thread.
  LineNames LinesSoFar() const { return lines_.NamesSoFar(); }
  // Before the first event: what stands ahead of a piece names; of a file that is read again, all.
  void KnowLines(LineNames names) { lines_.Know(std::move(names)); }
  // Whether a name came behind events that it would have made others.
  bool lines_came_late() const { return lines_.names_came_late(); }
  const NpuWork& npu_work() const { return lines_.npu_work(); }

  // Of a piece: whether the last event was refused, and left no trace.
  bool refused() const { return refused_ || times_.refused(); }
  // Of a piece: no events follow; another thread may have it. `next` is memory for a later piece.
  void EndPiece(std::unique_ptr<Part> next);
  std::unique_ptr<Part> TakeMemory() { return std::move(rows_of_piece_); }
  // Takes over a piece behind all that came so far, as if its events had come here. False: the run
  // has no room for its tracks, or names were not known to it; nothing was taken.
  Result<bool> Absorb(TraceReader& piece);
  // What came before is all: begun ranges and held rows go to the sink, losses and names too.
  Status Finish();

  const TraceMembers& members() const { return members_; }
  bool is_kineto() const { return members_.is_kineto() || categories_.of_2021(); }
  bool of_2021() const { return categories_.of_2021(); }
  store::ProfileWriter writer() const { return marks_.Writer(); }
  bool has_device_events() const { return has_device_events_ || lines_.has_device_events(); }
  TraceTracks& tracks() { return tracks_; }
  // What to add to the events' times for UTC; none: nothing in the file tells.
  std::optional<int64_t> UtcOffsetNs() const;
  // Events that were left out for want of a time.
  int64_t without_time() const { return times_.left_out(); }

 private:
  int32_t TrackOf(const RawEvent& event, const FileCategory& category);
  int32_t TrackByArgs(const RawEvent& event);
  std::optional<int64_t> NumberOf(const RawEvent& event, std::string_view key);

  Status OnComplete(const RawEvent& event);
  Status OnBegin(const RawEvent& event);
  Status OnEnd(const RawEvent& event);
  Status OnAsync(const RawEvent& event);
  Status OnInstant(const RawEvent& event);
  Status OnMemory(const RawEvent& event, int64_t ts_ns);
  Status OnCounter(const RawEvent& event);
  Status OnFlow(const RawEvent& event);
  Status OnMetadata(const RawEvent& event);
  // Of a piece: it depends on what stands ahead.
  Status Refuse() {
    refused_ = true;
    return {};
  }
  void Describe(const RawEvent& event, const FileCategory& category, Slice* slice);

  PartSink& sink_;
  Reads reads_;
  LossCounts lost_;  // by cause
  WriterMarks marks_;
  EventTexts texts_;
  EventTimes times_;
  FileCategories categories_;
  TraceMembers members_;
  TraceTracks tracks_;
  HeldRows rows_;
  OpenRanges open_;
  LineEvents lines_;
  std::vector<Arg> scratch_args_;
  bool has_device_events_ = false;
  // Of a piece.
  bool refused_ = false;
  std::unique_ptr<Part> rows_of_piece_;
};

}  // namespace steptrace::import::kineto
