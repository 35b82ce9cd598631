// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "import/formats/kineto/event_reader.h"
#include "import/formats/kineto/stream_window.h"

namespace steptrace::import::kineto {

// What of a document could not be used.
struct Damage {
  int64_t damaged_events = 0;   // no JSON: skipped to the next event
  int64_t foreign_texts = 0;    // pieces of text between events that are none (log lines)
  int64_t too_long_events = 0;  // beyond Limits::max_event_bytes
  int64_t duplicate_keys = 0;
  int64_t skipped_bytes = 0;  // of all of those
  int64_t bytes_after_end = 0;
  bool cut_off = false;  // ends before its end, at `cut_off_at`
  int64_t cut_off_at = 0;
};

class DocumentHandler {
 public:
  virtual ~DocumentHandler() = default;
  // A member of the top-level object, but for the events.
  virtual void OnMember(std::string_view key, const json::Value& value) = 0;
  virtual Status OnEvent(const RawEvent& event) = 0;
};

// Events that were read from the middle of the file, before it was known that they stand there.
class EventsAhead {
 public:
  struct Taken {
    int64_t events = 0;  // 0: nothing begins there
    int64_t duplicate_keys = 0;
    int64_t end = 0;        // the position behind them
    bool at_event = false;  // and there the bracket of the next one
  };

  virtual ~EventsAhead() = default;
  // Asking before this position is of no use.
  int64_t next() const { return next_; }
  // The document is at an event's bracket: what was read from exactly there goes to the handler.
  // Positions only grow.
  virtual Result<Taken> TakeAt(int64_t position) = 0;

 protected:
  int64_t next_ = 0;
};

// Walks over a file of trace events: {..., "traceEvents": [...], ...} or [...]. After damage it
// goes on with the next thing that begins as an event does. An error refuses the whole file.
//
//   top ──"traceEvents":[──► events ──]──► top ──}──► after
//    └──────────[──────────────┘ ▲ │
//                                └─┘ damage: resync
class Document {
 public:
  // `ahead`, if there is one, has read events of the same file from places further on; they go to
  // the same handler.
  Document(StreamWindow& window, std::string name, int32_t max_depth, EventsAhead* ahead = nullptr);

  Status Read(DocumentHandler& handler);
  const Damage& damage() const { return damage_; }
  int64_t events() const { return events_; }

 private:
  Status ReadTop(DocumentHandler& handler);
  Status ReadEvents(DocumentHandler& handler);
  Status ReadAfter();
  Status CheckDepth();
  Status ReadMember(DocumentHandler& handler);
  void CountKey(std::string_view key);
  Result<bool> SkipDamage(char first);
  Status Resync(const char* from, bool* found);
  Result<bool> TakeAhead(EventsAhead& ahead);

  StreamWindow& window_;
  std::string name_;
  int32_t max_depth_;
  EventsAhead* ahead_;
  EventReader reader_;
  ScanBudget budget_;  // of members
  Damage damage_;
  std::vector<uint64_t> keys_;  // beside the events, hashed: the first of them
  int64_t events_ = 0;
  bool array_ = false;  // [...]: Chrome's writers need not close it
  bool ended_ = false;
};

}  // namespace steptrace::import::kineto
