// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/document.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "base/fnv.h"

namespace steptrace::import::kineto {
namespace {

using json::Scan;
using json::SkipSpace;
using json::Value;

// What follows the events in the files of known writers.
constexpr std::array<std::string_view, 10> kTopKeys = {
    "traceName", "displayTimeUnit", "baseTimeNanoseconds", "schemaVersion", "deviceProperties",
    "otherData", "distributedInfo", "stackFrames",         "samples",       "metadata"};

// The bracket that closes the events, as damage around it may leave it.
bool EndsEvents(const char* p, const char* end, bool last) {
  if (*p != ']') return false;
  p = SkipSpace(p + 1);
  if (*p == ',') return json::IsKey(SkipSpace(p + 1), end, kTopKeys);
  return *p == '}' && last && SkipSpace(p + 1) >= end;
}

}  // namespace

Document::Document(StreamWindow& window, std::string name, int32_t max_depth, EventsAhead* ahead)
    : window_(window), name_(std::move(name)), max_depth_(max_depth), ahead_(ahead) {}

Status Document::Read(DocumentHandler& handler) {
  STEPTRACE_ASSIGN_OR_RETURN(char first, Peek(window_));
  if (first == '\xEF') {  // a byte order mark
    window_.MoveTo(std::min(window_.at() + 3, window_.end()));
    STEPTRACE_ASSIGN_OR_RETURN(first, Peek(window_));
  }
  if (first != '{' && first != '[') {
    return Error{name_ + ": holds no trace events", "give a profile"};
  }
  window_.MoveTo(window_.at() + 1);
  array_ = first == '[';
  if (array_) {
    STEPTRACE_RETURN_IF_ERROR(ReadEvents(handler));
  } else {
    STEPTRACE_RETURN_IF_ERROR(ReadTop(handler));
  }
  return ended_ ? Status() : ReadAfter();
}

Status Document::ReadTop(DocumentHandler& handler) {
  for (bool more = true; more && !ended_;) {
    STEPTRACE_ASSIGN_OR_RETURN(char next, Peek(window_));
    if (next == '\0' && window_.at() >= window_.end()) {
      damage_.cut_off = ended_ = true;
      damage_.cut_off_at = window_.position();
      return {};
    }
    if (next == '}' || next == ',') {
      window_.MoveTo(window_.at() + 1);
      more = next == ',';
      continue;
    }
    STEPTRACE_RETURN_IF_ERROR(ReadMember(handler));
  }
  return {};
}

Status Document::ReadMember(DocumentHandler& handler) {
  Value key;
  Value value;
  bool events = false;
  auto read = [&](const char* p, Scan& scan) -> const char* {
    if (*p != '"') return json::Fail(p, scan);
    p = json::ReadValue(p, scan, &key);
    if (p == nullptr) return nullptr;
    p = SkipSpace(p);
    if (*p != ':') return json::Fail(p, scan);
    p = SkipSpace(p + 1);
    events = key.text == "traceEvents" && *p == '[';
    return events ? p + 1 : json::ReadValue(p, scan, &value);
  };
  STEPTRACE_ASSIGN_OR_RETURN(const char* after,
                             ReadWhole(window_, name_, max_depth_, budget_, read));
  if (after != nullptr) {
    CountKey(key.text);
    if (!events) handler.OnMember(key.text, value);
    window_.MoveTo(after);
    return events ? ReadEvents(handler) : Status();
  }
  int64_t begin = window_.position();
  char first = *window_.at();
  bool found = false;
  STEPTRACE_RETURN_IF_ERROR(Resync(window_.at(), &found));
  if (found) {
    ++damage_.damaged_events;
    return ReadEvents(handler);
  }
  ended_ = true;
  if (events_ > 0 && first != '"') {  // lines of a log, say, where the object should close
    damage_.bytes_after_end += window_.position() - begin;
  } else {
    damage_.cut_off = true;
    damage_.cut_off_at = begin;
  }
  return {};
}

void Document::CountKey(std::string_view key) {
  constexpr size_t kMostKeys = 256;
  const uint64_t hash = Fnv1a(key);
  if (std::find(keys_.begin(), keys_.end(), hash) != keys_.end()) {
    ++damage_.duplicate_keys;
  } else if (keys_.size() < kMostKeys) {
    keys_.push_back(hash);
  }
}

// Takes over what was read ahead of the event at the window's begin, if that is what begins there.
Result<bool> Document::TakeAhead(EventsAhead& ahead) {
  bool any = false;
  while (window_.position() >= ahead.next()) {
    STEPTRACE_ASSIGN_OR_RETURN(EventsAhead::Taken taken, ahead.TakeAt(window_.position()));
    if (taken.events == 0) break;
    any = true;
    events_ += taken.events;
    damage_.duplicate_keys += taken.duplicate_keys;
    window_.SkipTo(taken.end);
    if (!taken.at_event) break;
  }
  return any;
}

Status Document::ReadEvents(DocumentHandler& handler) {
  while (true) {
    STEPTRACE_ASSIGN_OR_RETURN(char next, Peek(window_));
    if (next == ',' || next == ']') {
      window_.MoveTo(window_.at() + 1);
      if (next == ']') return {};
      continue;
    }
    if (next == '\0' && window_.at() >= window_.end()) {
      damage_.cut_off = !array_;
      damage_.cut_off_at = window_.position();
      ended_ = true;
      return {};
    }
    if (next == '{' && ahead_ != nullptr && window_.position() >= ahead_->next()) {
      STEPTRACE_ASSIGN_OR_RETURN(bool taken, TakeAhead(*ahead_));
      if (taken) continue;
    }
    if (next == '{') {
      constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
      Status taken;
      int64_t known = reader_.ReadKnown(window_, ahead_ == nullptr ? kNoLimit : ahead_->next(),
                                        max_depth_, [&](const RawEvent& event) {
                                          taken = handler.OnEvent(event);
                                          return taken.ok();
                                        });
      STEPTRACE_RETURN_IF_ERROR(taken);
      events_ += known;
      if (known > 0) continue;
    }
    const char* after = nullptr;
    if (next == '[') STEPTRACE_RETURN_IF_ERROR(CheckDepth());
    if (next == '{') {
      STEPTRACE_ASSIGN_OR_RETURN(after, reader_.Read(window_, name_, max_depth_));
    }
    const RawEvent& event = reader_.event();
    if (after != nullptr && event.phase) {
      ++events_;
      damage_.duplicate_keys += event.duplicate_keys;
      STEPTRACE_RETURN_IF_ERROR(handler.OnEvent(event));
      window_.MoveTo(after);
      continue;
    }
    if (after != nullptr) {  // an object, but no event: with an empty one XLA's writers end
      const bool is_empty = json::SkipSpace(window_.at() + 1) + 1 == after;
      damage_.damaged_events += is_empty ? 0 : 1;
      damage_.skipped_bytes += is_empty ? 0 : after - window_.at();
      window_.MoveTo(after);
      continue;
    }
    STEPTRACE_ASSIGN_OR_RETURN(bool found, SkipDamage(next));
    if (!found) return {};
  }
}

// An array where an event should be is skipped like other text, but for one that is too deep.
Status Document::CheckDepth() {
  constexpr ptrdiff_t kLookAhead = 64 << 10;
  if (window_.end() - window_.at() < kLookAhead) STEPTRACE_RETURN_IF_ERROR(window_.More());
  Scan scan{window_.end(), max_depth_};
  json::SkipNested(window_.at(), scan);
  return scan.too_deep ? Status(json::TooDeep(name_, max_depth_, window_.position())) : Status();
}

// What stands at the window's begin is no whole event. False: nothing follows it.
Result<bool> Document::SkipDamage(char first) {
  int64_t begin = window_.position();
  bool too_long = window_.end() - window_.at() >= window_.most_bytes();
  bool found = false;
  STEPTRACE_RETURN_IF_ERROR(Resync(window_.at() + 1, &found));
  if (first != '{') {
    ++damage_.foreign_texts;
  } else if (found || too_long) {
    ++(too_long ? damage_.too_long_events : damage_.damaged_events);
  }
  if (found) return true;
  damage_.cut_off = first == '{' || !array_;
  damage_.cut_off_at = begin;
  ended_ = true;
  return false;
}

Status Document::Resync(const char* from, bool* found) {
  damage_.skipped_bytes += from - window_.at();
  window_.MoveTo(std::min(from, window_.end()));
  constexpr ptrdiff_t kLookAhead = 4096;  // room for a key behind any sensible spaces
  while (true) {
    const char* begin = window_.at();
    ptrdiff_t ahead = window_.ended() ? 0 : std::min(kLookAhead, window_.end() - begin);
    const char* last = window_.end() - ahead;
    for (const char* p = begin; p < last; ++p) {
      *found = BeginsEvent(p, window_.end()) || EndsEvents(p, window_.end(), window_.ended());
      if (!*found) continue;
      damage_.skipped_bytes += p - begin;
      window_.MoveTo(p);
      return {};
    }
    damage_.skipped_bytes += last - begin;
    window_.MoveTo(last);
    STEPTRACE_ASSIGN_OR_RETURN(bool more, window_.More());
    if (!more && window_.ended() && window_.at() >= window_.end()) return {};
  }
}

Status Document::ReadAfter() {
  while (true) {
    STEPTRACE_ASSIGN_OR_RETURN(char next, Peek(window_));
    if (next == '\0' && window_.at() >= window_.end()) return {};
    damage_.bytes_after_end += window_.end() - window_.at();
    window_.MoveTo(window_.end());
  }
}

}  // namespace steptrace::import::kineto
