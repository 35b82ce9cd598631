// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "import/core/rows/cached_text.h"
#include "import/core/rows/losses.h"
#include "import/core/rows/part_facts.h"
#include "import/core/rows/slice.h"
#include "store/stored_words.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::import {

// What became of a text that was interned.
struct TextFacts {
  bool added = false;   // the part had no such text before
  bool is_utf8 = true;  // as it came; else wrong bytes of it were replaced
};

class SliceBlock;
template <class Row, class Before>
class SortedRows;
struct ByTime;
struct Part;
struct SinkShare;

// Takes the rows of one part of a run, which is what a source holds of one rank. One thread;
// several parts may be filled by as many threads. Tracks are numbered within the part.
class PartSink {
 public:
  // What the sink fills: a part, or pieces of one that another sink takes over (Absorb).
  enum class Fills : uint8_t { kPart, kPieces };

  explicit PartSink(SinkShare& share, Fills fills = Fills::kPart);
  ~PartSink();
  PartSink(const PartSink&) = delete;
  PartSink& operator=(const PartSink&) = delete;

  // Beyond Limits::max_text_bytes the text becomes a placeholder and is counted as lost.
  store::StringId Intern(std::string_view text, TextFacts* facts = nullptr);

  // Number, node and rank are set by the sink; the number is returned. -1: too many tracks.
  int32_t AddTrack(store::TrackRow row, store::TrackKind kind);
  store::TrackRow& Track(int32_t track);
  // Gives up all tracks, whose rows go elsewhere: they count no longer.
  std::vector<store::TrackRow> TakeTracks();

  Status Append(const Slice& slice);
  // A profiler's own mark: a slice that does not move the run's begin and end.
  Status AppendMark(const Slice& slice);
  // A flow that begins (out) or ends at a moment on a track: it goes to the innermost slice there.
  Status AddFlow(int32_t track, int64_t ts_ns, int64_t id, bool out);
  Status Append(const store::CounterRow& row);
  Status Append(const store::MemoryRow& row);
  Status Append(const store::StepRow& row);
  // Without a time: at the run's begin.
  void Fact(std::optional<int64_t> ts_ns, std::string_view kind, std::string json, int64_t pid = 0);
  // The part's loss of a cause; counts of one cause add up, of the details the first stays.
  void Loss(std::string_view table, LossCause cause, int64_t count,
            std::optional<model::Finding> said = std::nullopt);
  void Version(const std::string& framework, const std::string& version);

  // A sink for pieces of this part, for one thread of any. Its tracks are numbered within a piece,
  // its rows wait in memory, texts have the run's numbers at once.
  std::unique_ptr<PartSink> ForPieces() const;
  // Of a sink for pieces: what came since the last call. `next` is filled from now on: a part that
  // was taken and absorbed, whose memory then serves again, or none.
  std::unique_ptr<Part> TakePiece(std::unique_ptr<Part> next);
  // Whether a piece has as many rows or tracks as one may have: it should end.
  bool is_full() const;
  // Whether so many tracks fit into the run.
  bool HasRoomFor(size_t tracks) const;
  // The rows of a piece follow those that are here; `tracks` says for each of its tracks which it
  // is here, -1: none, its rows are lost.
  Status Absorb(const Part& piece, std::span<const int32_t> tracks);

  // No rows follow. Another thread may then give the part away.
  void End(PartFacts facts);
  void SetNode(int32_t node);  // the end's facts did not know it
  // Forgets the part and its rows: its source was refused.
  void Drop();
  // Forgets the rows so far: its source is read again.
  void Restart();

  Part& part() { return *part_; }
  const Part& part() const { return *part_; }

 private:
  void GrowTexts();
  Status AppendRow(const Slice& slice);
  Status AppendBlock(const SliceBlock& block, std::span<const int32_t> tracks);
  Status AppendSome(const SliceBlock& block, std::span<const int32_t> tracks);
  void TakeOther(int64_t from_ns, int64_t to_ns);
  Status SpillIfFull();
  template <class Row>
  Status AppendOther(SortedRows<Row, ByTime>& rows, const Row& row);
  Status SpillOthersIfFull();
  Status Noted(const Status& spilled);

  SinkShare& share_;
  Fills fills_;
  bool open_ = true;  // neither ended nor dropped
  std::unique_ptr<Part> part_;
  std::vector<CachedText> texts_;  // by hash
  size_t text_count_ = 0;
  uint64_t seed_;
};

}  // namespace steptrace::import
