// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_hash.h"
#include "import/core/rows/losses.h"
#include "import/core/rows/run_sink.h"
#include "import/core/writer_marks.h"
#include "import/formats/perfetto/annotations.h"
#include "import/formats/perfetto/nesting.h"
#include "import/formats/perfetto/sequence.h"
#include "import/formats/perfetto/trace_layout.h"
#include "import/formats/perfetto/trace_packet.h"
#include "import/formats/perfetto/track_lines.h"
#include "store/loss_causes.h"

namespace steptrace::import::perfetto {

// Turns the packets of a trace into rows of the sink, by the layout that was read before.
class TraceEvents {
 public:
  TraceEvents(TraceLayout& layout, TrackLines& lines, RunSink& sink, const Limits& limits,
              bool sort);

  // A damaged packet is counted and left out.
  Status Take(std::string_view packet);
  // What came before is all: open slices and losses go to the sink.
  Status Finish();

  // The order of the file does not tell which ends belong to which begins: read it again, sorted.
  bool needs_sorting() const { return nesting_.needs_sorting(); }
  // Texts that are given by number are longer together than they may be.
  bool is_beyond_limit() const { return annotations_.is_beyond_limit(); }
  int64_t events() const { return events_; }
  bool is_kineto() const { return kineto_; }
  store::ProfileWriter writer() const { return marks_.Writer(); }
  const std::vector<std::string>& devices() const { return devices_; }  // JSON of properties
  const std::string& job() const { return job_; }                       // JSON: distributedInfo
  std::optional<int64_t> first_time_ns() const { return first_time_ns_; }

 private:
  Status TakeSound(const RawPacket& raw);
  std::optional<int64_t> TimeOf(const RawPacket& raw, Sequence& sequence);
  Status OnEvent(const RawPacket& raw, Sequence& sequence);
  Status OnSlice(int64_t ts_ns, uint64_t uuid, const Sequence& sequence);
  Status OnInstant(uint64_t uuid, const Slice& slice, std::string_view name);
  Status OnMemory(uint64_t uuid, int64_t ts_ns);
  Status OnCounters(int64_t ts_ns, std::optional<uint64_t> uuid, Sequence& sequence);
  Status AddCounter(int64_t ts_ns, uint64_t uuid, double value, Sequence& sequence);
  Status OnGpuStage(const RawPacket& raw, Sequence& sequence);
  // What Steptrace's own exporter writes for tables other than slices; false: it is a slice.
  Result<bool> OnOwn(const TrackInfo& track, uint64_t uuid, int64_t ts_ns,
                     const Sequence& sequence);
  Status OnOwnStep(int64_t ts_ns);
  void OnMetadata(std::string_view name);

  void ReadAnnotations(const Sequence& sequence);
  void Describe(const Sequence& sequence, uint64_t uuid, Slice* slice);
  void NoteCategory(const std::string& category);
  void DescribeOwn(Slice* slice);
  void DescribeForeign(uint64_t uuid, std::string category, Slice* slice);
  void SetFlows(Slice* slice);
  store::StringId NameOf(const Sequence& sequence);
  std::string CategoryOf(const Sequence& sequence);
  store::StringId Find(const Sequence::Texts& texts, uint64_t number);
  void Join(const Slice& end, Slice* slice);
  Status Emit(uint64_t uuid, const Slice& slice);

  TraceLayout& layout_;
  TrackLines& lines_;
  RunSink& sink_;
  int32_t max_depth_;
  Annotations annotations_;
  Nesting nesting_;
  SeededMap<uint32_t, Sequence> sequences_;
  RawTrackEvent event_;
  SeededMap<uint64_t, bool> flows_;  // that have begun
  std::vector<std::string> devices_;
  std::string job_;
  std::optional<int64_t> first_time_ns_;
  LossCounts lost_;  // by cause
  int64_t interned_room_;
  int64_t invalid_texts_ = 0;
  int64_t events_ = 0;
  bool kineto_ = false;
  WriterMarks marks_;
  std::string last_category_;  // many events have the one of that before them
};

}  // namespace steptrace::import::perfetto
