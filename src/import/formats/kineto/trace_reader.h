// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text_hash.h"
#include "import/core/rows/losses.h"
#include "import/core/rows/part.h"
#include "import/core/rows/part_sink.h"
#include "import/core/writer_marks.h"
#include "import/formats/kineto/args.h"
#include "import/formats/kineto/document.h"
#include "import/formats/kineto/lines.h"
#include "import/formats/kineto/tracks.h"
#include "store/loss_causes.h"

namespace steptrace::import::kineto {

// What a thread learns of a file's texts, whichever stretch of it they stand in.
struct LearntTexts {
  // A name of before and its number; nearly all events have one of those.
  struct Name {
    std::string text;
    store::StringId id{};
  };

  ArgsSorter args;
  std::unordered_set<store::StringId> not_utf8;
  std::array<Name, 256> names;  // by a few of their bytes
};

// Turns the events of one trace file into rows of a part.
//
// Or those of a stretch from its middle into rows of a piece, before what stands ahead of it is
// known. Then it refuses the first event that depends on that: an end without its begin, say.
class TraceReader : public DocumentHandler {
 public:
  enum class Reads : uint8_t { kFile, kPiece };

  // The sink fills parts or pieces, as the reader does.
  TraceReader(PartSink& sink, LearntTexts& texts, Reads reads = Reads::kFile);

  void OnMember(std::string_view key, const json::Value& value) override;
  Status OnEvent(const RawEvent& event) override;

  // What the file has named so far. For any thread.
  LineNames LinesSoFar() const;
  // Before the first event: what stands ahead of a piece names; of a file that is read again, all.
  void KnowLines(LineNames lines);
  // Whether a name came behind events that it would have made others.
  bool lines_came_late() const { return lines_.late.came(); }
  const NpuWork& npu_work() const { return lines_.npu; }

  // Of a piece: whether the last event was refused, and left no trace.
  bool refused() const { return refused_; }
  // Of a piece: no events follow; another thread may have it. `next` is memory for a later piece.
  void EndPiece(std::unique_ptr<Part> next);
  std::unique_ptr<Part> TakeMemory() { return std::move(rows_); }
  // Takes over a piece behind all that came so far, as if its events had come here. False: the run
  // has no room for its tracks, or names were not known to it; nothing was taken.
  Result<bool> Absorb(TraceReader& piece);
  // What came before is all: begun ranges and held rows go to the sink, losses and names too.
  Status Finish();

  // A member of the top level as compact JSON; empty: there was none.
  const std::string& Member(const std::string& key) const;
  bool is_kineto() const { return kineto_; }
  bool of_2021() const { return of_2021_; }
  store::ProfileWriter writer() const { return marks_.Writer(); }
  bool has_device_events() const { return device_events_ > 0; }
  TraceTracks& tracks() { return tracks_; }
  // What to add to the events' times for UTC; none: nothing in the file tells.
  std::optional<int64_t> UtcOffsetNs() const;
  // Whether it holds a base that is no time.
  bool has_bad_base() const;
  // Events that were left out for want of a time.
  int64_t without_time() const;

 private:
  struct Category {
    std::string raw;
    store::StringId id{};
    bool on_device = false;
    bool is_operator = false, is_mark = false,
         is_step = false;       // marks of the profiler, of the script
    bool is_link = false;       // a flow that repeats what correlation ids tell
    bool is_launch = false;     // a flow that is all that joins a launch and what it launched
    bool tells_stream = false;  // among its arguments: the tid is a number of the profiler's own
  };
  // A range that was begun: B on a thread, b or S by an id.
  struct Open {
    Slice slice;
    store::StringId name{};
  };

  // What events of one origin have in common. -1: not known.
  struct Origin {
    int32_t category = -1;
    int32_t track = -1;  // of a complete event
  };

  const Category& CategoryOf(const RawEvent& event) {
    const bool known = event.origin < origins_.size() && origins_[event.origin].category >= 0;
    return known ? categories_[static_cast<size_t>(origins_[event.origin].category)]
                 : LearnCategory(event);
  }
  const Category& LearnCategory(const RawEvent& event);
  int32_t TrackOf(const RawEvent& event, const Category& category);
  std::optional<int64_t> NumberOf(const RawEvent& event, std::string_view key);
  int32_t TrackByArgs(const RawEvent& event);
  std::optional<int64_t> BaseNs() const;
  uint32_t PlaceOfCategory(const json::Value& value, std::string_view event_name);
  store::StringId NameOf(const json::Value& value);
  std::string TextOf(const json::Value& value);
  // Notes a text of which something was replaced, and replaces what is no UTF-8.
  std::string Cleaned(const std::string& text, bool replaced);
  void NoteBadText(uint64_t hash);
  int64_t IdOf(const json::Value& value);
  bool TimeOf(const RawEvent& event, int64_t* ns);
  bool IsNoTime(int64_t ts_ns);

  Line LineOf(const RawEvent& event);
  Status OnLine(const RawEvent& event, const Line& line, Slice slice);
  int32_t TrackOf(const RawEvent& event, const Line& line);
  void DescribeOnLine(const RawEvent& event, LineKind kind, Slice* slice);
  Status OnLaunchFlow(const RawEvent& event, const Category& category);
  void NameLine(const std::function<void(LineNames&)>& name);

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
  void Describe(const RawEvent& event, const Category& category, Slice* slice);
  // Holds a row back until the next: a flow's end may follow it.
  Status Hold(const Slice& slice);
  Status Release();
  Status Keep(const Slice& slice);

  PartSink& sink_;
  LearntTexts& texts_;
  Reads reads_;
  TraceTracks tracks_;
  mutable std::mutex lines_mutex_;  // of the names of a file, which other threads read
  ReaderLines lines_;
  RawEvent line_event_;
  std::vector<Category> categories_;
  SeededMap<std::string, uint32_t> category_numbers_;  // by the raw text
  std::array<uint32_t, 32> category_places_{};
  std::vector<Origin> origins_;  // by number
  std::map<std::string, std::string> members_;
  Slice held_;
  bool has_held_ = false;
  std::vector<Slice> without_time_;  // at 0, before any other time is known
  int64_t first_time_ns_ = 0;        // the first that is not 0
  std::unordered_map<int32_t, std::vector<Open>> begun_;
  SeededMap<std::string, std::vector<Open>> async_;
  int64_t begun_open_ = 0;
  int64_t async_open_ = 0;  // entries of async_ are never empty
  std::string scratch_;
  std::vector<Arg> scratch_args_;
  LossCounts lost_;           // by cause
  int64_t not_a_number_ = 0;  // at the begin; of a piece that ended: in it
  std::unordered_set<store::StringId> not_utf8_;
  SeededSet<uint64_t> bad_texts_;  // hashes of others that are no UTF-8, in no row
  int64_t device_events_ = 0;
  WriterMarks marks_;
  bool kineto_ = false, of_2021_ = false;
  // Of a piece.
  bool refused_ = false;
  std::vector<Flow> early_launches_;  // of what stands before its first row
  std::vector<Flow> early_flows_;     // before its first held row
  std::unique_ptr<Part> rows_;
};

}  // namespace steptrace::import::kineto
