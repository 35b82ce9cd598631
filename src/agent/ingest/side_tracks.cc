// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/side_tracks.h"

#include <algorithm>

namespace steptrace::agent {
namespace {

// More at a time are not told apart by eye, and a process may make up kinds without end.
constexpr size_t kMostSideLines = 8;
constexpr size_t kMostKinds = 256;

}  // namespace

int32_t SideTracks::Of(const std::string& name, int64_t begin_ns, int64_t end_ns) {
  const bool room = lines_.size() < kMostKinds || lines_.contains(name);
  const std::string kind = room ? name : "others";
  std::vector<Line>& lines = lines_[kind];
  auto line = std::find_if(lines.begin(), lines.end(),
                           [=](const Line& one) { return one.end_ns <= begin_ns; });
  if (line == lines.end() && lines.size() < kMostSideLines) {
    const std::string text = lines.empty() ? kind : kind + " " + std::to_string(lines.size() + 1);
    lines.push_back({make_(++made_, text), end_ns});
    line = std::prev(lines.end());
  }
  if (line == lines.end()) --line;
  line->end_ns = std::max(line->end_ns, end_ns);
  return line->track;
}

}  // namespace steptrace::agent
