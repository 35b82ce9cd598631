// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/event_reader.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "import/json/json_text.h"

namespace steptrace::import::kineto {
namespace {

// With what an event begins, in any order that profilers write.
constexpr std::array<std::string_view, 12> kEventKeys = {
    "ph", "cat", "name", "pid", "tid", "ts", "dur", "id", "args", "s", "bp", "cname"};

}  // namespace

Result<char> Peek(StreamWindow& window) {
  while (true) {
    const char* p = json::SkipSpace(window.at());
    window.MoveTo(std::min(p, window.end()));
    if (p < window.end()) return *p;
    STEPTRACE_ASSIGN_OR_RETURN(bool more, window.More());
    if (!more) return '\0';
  }
}

bool BeginsEvent(const char* p, const char* end) {
  return *p == '{' && json::IsKey(json::SkipSpace(p + 1), end, kEventKeys);
}

Result<const char*> EventReader::Read(StreamWindow& window, const std::string& name,
                                      int32_t max_depth) {
  json::Scan scan{budget_.End(window), max_depth};
  const char* after = shapes_.Read(window.at(), scan, &event_);
  if (after != nullptr) return after;
  STEPTRACE_ASSIGN_OR_RETURN(
      after, ReadWhole(window, name, max_depth, budget_, [&](const char* p, json::Scan& from) {
        return ReadEvent(p, from, &event_, &trail_);
      }));
  if (after != nullptr && event_.phase) shapes_.Learn(window.at(), after, event_, trail_);
  return after;
}

}  // namespace steptrace::import::kineto
