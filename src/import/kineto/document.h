// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "import/kineto/event.h"
#include "import/kineto/event_shapes.h"
#include "import/kineto/window.h"

namespace steptrace::import {

// What of a document could not be used.
struct Damage {
  int64_t damaged_events = 0;   // no JSON: skipped to the next event
  int64_t foreign_texts = 0;    // stretches between events that are none (log lines)
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

// Walks over a file of trace events: {..., "traceEvents": [...], ...} or [...]. After damage it
// goes on with the next thing that begins as an event does. An error refuses the whole file.
//
//   top ──"traceEvents":[──► events ──]──► top ──}──► after
//    └──────────[──────────────┘ ▲ │
//                                └─┘ damage: resync
class Document {
 public:
  Document(Window& window, std::string name, int32_t max_depth);

  Status Read(DocumentHandler& handler);
  const Damage& damage() const { return damage_; }
  int64_t events() const { return events_; }

 private:
  Status ReadTop(DocumentHandler& handler);
  Status ReadEvents(DocumentHandler& handler);
  Result<const char*> ReadOneEvent();
  Status ReadAfter();
  Status ReadMember(DocumentHandler& handler);
  Result<bool> SkipDamage(char first);
  Status Resync(const char* from, bool* found);
  Status TooDeep() const;
  // The next character that is no space; 0 at the end of the stream.
  Result<char> Peek();
  // Calls read(p, scan) with ever more of the stream until it succeeds or cannot.
  template <class F>
  Result<const char*> Retry(F&& read);

  Window& window_;
  std::string name_;
  int32_t max_depth_;
  RawEvent event_;
  Trail trail_;
  EventShapes shapes_;
  Damage damage_;
  int64_t events_ = 0;
  bool array_ = false;  // [...]: Chrome's writers need not close it
  bool ended_ = false;
};

}  // namespace steptrace::import
