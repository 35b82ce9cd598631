// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "import/core/rows/part_sink.h"
#include "import/formats/kineto/event_texts.h"
#include "import/formats/kineto/held_rows.h"
#include "import/formats/kineto/kineto_event.h"
#include "import/formats/kineto/named_lines.h"
#include "import/formats/kineto/trace_tracks.h"

namespace steptrace::import::kineto {

// Events that the names of their process and thread tell, not a category.
class LineEvents {
 public:
  LineEvents(PartSink& sink, TraceTracks& tracks, EventTexts& texts, HeldRows& rows)
      : sink_(sink), tracks_(tracks), texts_(texts), rows_(rows) {}

  // What the file has named so far. For any thread.
  LineNames NamesSoFar() const;
  // Before the first event: what stands ahead of a piece names; of a file that is read again, all.
  void Know(LineNames names);
  void NameProcess(std::string_view pid, std::string_view name);
  void NameThread(std::string_view pid, std::string_view tid, std::string_view name);

  Line Of(const RawEvent& event);
  // A complete event of a line that is not plain; the slice has its time.
  Status Take(const RawEvent& event, const Line& line, Slice slice);
  // An end of a flow of this category that is all that joins a launch and what it launched.
  Status TakeLaunch(const RawEvent& event, std::string_view category, int64_t ts_ns);

  // Whether a piece that knew those names as it was read may follow.
  bool MayAbsorb(const LineEvents& piece) const {
    return !piece.asked_ || piece.ahead_ == names_.version();
  }
  void Absorb(const LineEvents& piece);

  // Whether a name came behind events that it would have made others.
  bool names_came_late() const { return late_.came(); }
  const NpuWork& npu_work() const { return npu_; }
  bool has_device_events() const { return has_device_events_; }

 private:
  void Name(const std::function<void(LineNames&)>& name);
  int32_t TrackOf(const RawEvent& event, const Line& line);
  void Describe(const RawEvent& event, LineKind kind, Slice* slice);

  PartSink& sink_;
  TraceTracks& tracks_;
  EventTexts& texts_;
  HeldRows& rows_;
  mutable std::mutex mutex_;  // of the names, which other threads read
  LineNames names_;
  LineCache cache_;
  LateNames late_;
  NpuWork npu_;
  bool has_device_events_ = false;
  RawEvent line_event_;
  std::vector<Arg> scratch_args_;
  // Of a piece.
  size_t ahead_ = 0;    // version of the names that it was given
  bool asked_ = false;  // of an event that other names might have made another
};

}  // namespace steptrace::import::kineto
