// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/result.h"
#include "import/formats/kineto/event_shapes.h"
#include "import/formats/kineto/kineto_event.h"
#include "import/formats/kineto/stream_window.h"
#include "import/json/depth.h"
#include "import/json/digits.h"
#include "import/json/json_text.h"

namespace steptrace::import::kineto {

// What has no end is looked through up to the greatest size that a thing may have, and then again
// from the next thing in it that looks like an event. So much of a file may be looked through in
// vain; then things that are longer than a few pages are taken to have no end.
class ScanBudget {
 public:
  // Up to where the thing at the window's begin is sought.
  const char* End(const StreamWindow& window) const {
    const bool all = spent_ < kMostBytes || window.end() - window.at() <= kFewBytes;
    return all ? window.end() : window.at() + kFewBytes;
  }
  void Spend(ptrdiff_t bytes) { spent_ += bytes; }

 private:
  static constexpr int64_t kMostBytes = int64_t{256} << 20;
  static constexpr ptrdiff_t kFewBytes = 64 << 10;

  int64_t spent_ = 0;
};

// Calls read(p, scan) at the window's begin with ever more of the stream until it succeeds or
// cannot: what it returned, nullptr: there is nothing whole. Too deep a text is an error, in which
// `name` stands for the file.
template <class F>
Result<const char*> ReadWhole(StreamWindow& window, const std::string& name, int32_t max_depth,
                              ScanBudget& budget, F&& read) {
  while (true) {
    const char* end = budget.End(window);
    json::Scan scan{end, max_depth};
    const char* after = read(window.at(), scan);
    if (after != nullptr && after <= end) return after;
    if (scan.too_deep) return json::TooDeep(name, max_depth, window.position());
    if (after == nullptr && !scan.need_more) return static_cast<const char*>(nullptr);
    bool more = false;
    if (end == window.end()) {
      STEPTRACE_ASSIGN_OR_RETURN(more, window.More());
    }
    if (more) continue;
    budget.Spend(end - window.at());
    return static_cast<const char*>(nullptr);
  }
}

// The next character that is no space, to which the window moves; 0 at the end of the stream.
Result<char> Peek(StreamWindow& window);

// Whether an event, or what damage left of one, begins at p: a bracket, a key that events have.
bool BeginsEvent(const char* p, const char* end);

// What stands between two events: a comma and spaces. As a rule all of a file are the same, and
// compared at once, with the bracket behind them.
class EventGap {
 public:
  // From what follows an event to what follows the gap. In a window.
  const char* Skip(const char* p) {
    if (((json::LoadEight(p) ^ text_) & mask_) == 0) return p + size_;
    const char* after = json::SkipSpace(p);
    if (*after == ',') after = json::SkipSpace(after + 1);
    const auto size = static_cast<size_t>(after - p);
    if (*after == '{' && size < sizeof text_) {
      size_ = size;
      mask_ = ~uint64_t{0} >> (8 * (sizeof text_ - 1 - size));
      text_ = json::LoadEight(p) & mask_;
    }
    return after;
  }

 private:
  uint64_t text_ = 0;  // eight zeros, and no gap, until one was seen
  uint64_t mask_ = ~uint64_t{0};
  size_t size_ = 0;
};

// Reads events one by one, by the shapes of those before them where that goes. It may be used for
// one piece of a file after another. One thread.
class EventReader {
 public:
  // The event at the window's begin, which then is event(): what follows it; nullptr: there is no
  // whole one.
  Result<const char*> Read(StreamWindow& window, const std::string& name, int32_t max_depth);
  const RawEvent& event() const { return event_; }  // views into the window

  // Nearly all events: those of known shapes one behind the other, in the window as a whole, that
  // begin before a position of the stream. Each goes to take(event), which says whether it was
  // taken; one that was not is the last. The window moves behind those that were; how many they
  // are.
  template <class Take>
  int64_t ReadKnown(StreamWindow& window, int64_t until, int32_t max_depth, Take&& take) {
    const json::Scan scan{budget_.End(window), max_depth};
    const char* last =
        window.at() + std::clamp<int64_t>(until - window.position(), 0, window.end() - window.at());
    const char* after = window.at();
    int64_t count = 0;
    for (const char* p = json::SkipSpace(after); p < last && *p == '{'; p = gap_.Skip(p)) {
      p = shapes_.Read(p, scan, &event_);
      if (p == nullptr || !take(std::as_const(event_))) break;
      ++count;
      after = p;
    }
    window.MoveTo(after);
    return count;
  }

 private:
  RawEvent event_;
  Trail trail_;
  EventShapes shapes_;
  EventGap gap_;
  ScanBudget budget_;
};

}  // namespace steptrace::import::kineto
