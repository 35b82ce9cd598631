// SPDX-License-Identifier: Apache-2.0
#include "import/formats/perfetto/track_lines.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "import/formats/perfetto/proto_fields.h"

namespace steptrace::import::perfetto {
namespace {

constexpr int kMostAncestors = 32;
constexpr size_t kMostUndescribed = 1 << 20;

using Kind = TrackInfo::Kind;
using Own = TrackInfo::Own;

std::optional<int32_t> Small(std::optional<int64_t> number) {
  bool fits = number && *number >= std::numeric_limits<int32_t>::min() &&
              *number <= std::numeric_limits<int32_t>::max();
  return fits ? std::optional(static_cast<int32_t>(*number)) : std::nullopt;
}

}  // namespace

void TrackLines::Begin() {
  for (auto& [uuid, info] : layout_.tracks) info.line = info.device_line = TrackInfo::kUnset;
  sink_.SetWorkers(layout_.is_own() ? layout_.own_ranks.size() : 1);  // all are open at once
  if (!layout_.is_own()) {
    parts_ = {sink_.BeginPart()};
    return;
  }
  for (size_t i = 0; i < layout_.own_ranks.size(); ++i) parts_.push_back(sink_.BeginPart());
  std::map<int64_t, std::pair<size_t, int32_t>> by_number;  // part and line
  for (const OwnTrack& own : layout_.own_tracks) {
    sink_.SelectPart(parts_[own.rank]);
    own_lines_.push_back(
        sink_.AddTrack(own.row, store::TrackKindOf(own.kind).value_or(store::TrackKind::kThread)));
    by_number.emplace(own.number, std::pair(parts_[own.rank], own_lines_.back()));
  }
  for (size_t i = 0; i < own_lines_.size(); ++i) {
    const auto& parent = layout_.own_tracks[i].parent;
    auto found = parent ? by_number.find(*parent) : by_number.end();
    if (own_lines_[i] < 0 || found == by_number.end() || found->second.second < 0) continue;
    sink_.SelectPart(parts_[layout_.own_tracks[i].rank]);
    sink_.SetParent(own_lines_[i], found->second.first, found->second.second);
  }
  selected_ = layout_.own_ranks.size() - 1;
  sink_.SelectPart(parts_[selected_]);
}

void TrackLines::End(const PartFacts& foreign) {
  for (size_t i = 0; i < parts_.size(); ++i) {
    sink_.SelectPart(parts_[i]);
    if (!layout_.is_own()) {
      sink_.EndPart(foreign);
      continue;
    }
    PartFacts facts = layout_.own_ranks[i].facts;
    facts.utc_offset_ns = foreign.utc_offset_ns;
    facts.source = foreign.source;
    sink_.EndPart(std::move(facts));
  }
}

void TrackLines::Drop() {
  for (size_t part : parts_) {
    sink_.SelectPart(part);
    sink_.DropPart();
  }
}

void TrackLines::SelectFirst() {
  selected_ = 0;
  sink_.SelectPart(parts_[0]);
}

TrackInfo& TrackLines::InfoOf(uint64_t uuid) {
  auto found = layout_.tracks.find(uuid);
  if (found != layout_.tracks.end()) return found->second;
  // Track 0 is the trace's own and needs none to declare it.
  if (uuid != 0) ++undescribed_;
  if (undescribed_ > static_cast<int64_t>(kMostUndescribed)) return layout_.tracks[0];
  return layout_.tracks[uuid];
}

void TrackLines::SelectPartOf(uint64_t uuid) {
  if (!layout_.is_own()) return;
  const TrackInfo& info = InfoOf(uuid);
  size_t rank = 0;
  if (info.own == Own::kTrack) {
    rank = layout_.own_tracks[info.own_index].rank;
  } else if (info.own != Own::kNone) {
    rank = info.own_index;
  }
  if (rank == selected_) return;
  selected_ = rank;
  sink_.SelectPart(parts_[rank]);
}

int32_t TrackLines::Host(uint64_t uuid) {
  SelectPartOf(uuid);
  TrackInfo& info = InfoOf(uuid);
  if (info.own == Own::kTrack) return own_lines_[info.own_index];
  if (info.line != TrackInfo::kUnset) return info.line;
  std::string key = KeyOf(uuid, 0);
  auto [found, added] = lines_.try_emplace(std::move(key), -1);
  if (added) found->second = Add(uuid, info);
  return info.line = found->second;
}

int32_t TrackLines::Counter(uint64_t uuid) {
  return Host(uuid);
}

int32_t TrackLines::Device(uint64_t uuid, const DeviceLine& device) {
  SelectPartOf(uuid);
  TrackInfo& info = InfoOf(uuid);
  if (info.own == Own::kTrack) return own_lines_[info.own_index];
  const bool reported = device.device && device.stream;
  if (!reported && info.device_line != TrackInfo::kUnset) return info.device_line;
  store::TrackRow row;
  row.device = Small(device.device ? device.device : std::optional(info.pid));
  row.stream = device.stream;
  // The lanes of exporters: the process is the device, the thread the stream.
  if (!row.stream && info.kind == Kind::kThread) row.stream = info.tid;
  std::string key = row.device && row.stream ? fmt::format("device {} {}", *row.device, *row.stream)
                                             : fmt::format("device of {}", KeyOf(uuid, 0));
  auto [found, added] = lines_.try_emplace(std::move(key), -1);
  if (added) {
    const int64_t number = row.device.value_or(-1);
    auto [of, first] = devices_.try_emplace(number, -1);
    if (first) {
      store::TrackRow device_row;
      device_row.device = row.device;
      of->second = sink_.AddTrack(std::move(device_row), store::TrackKind::kDevice);
    }
    if (of->second >= 0) row.parent = of->second;
    row.name = device.name.empty() ? sink_.strings().Text(info.name) : device.name;
    found->second = sink_.AddTrack(std::move(row), store::TrackKind::kStream);
  }
  if (!reported) info.device_line = found->second;
  return found->second;
}

std::string TrackLines::KeyOf(uint64_t uuid, int depth) {
  auto found = layout_.tracks.find(uuid);
  if (found == layout_.tracks.end() || depth > kMostAncestors) return fmt::format("u{}", uuid);
  const TrackInfo& info = found->second;
  switch (info.kind) {
    case Kind::kProcess:
      return fmt::format("p{}", info.pid);
    case Kind::kThread:
      return fmt::format("t{} {}", info.pid, info.tid);
    case Kind::kPlain:
    case Kind::kCounter:
      break;
  }
  const bool has_name = info.name != store::StringId::kEmpty;
  const bool by_key = info.merge == descriptor::kMergeByKey;
  if (info.merge == descriptor::kMergeNone || (!by_key && !has_name)) {
    return fmt::format("u{}", uuid);
  }
  // A child of a thread's name is where its exporter puts what does not nest in the thread.
  auto parent = layout_.tracks.find(info.parent);
  if (parent != layout_.tracks.end() && parent->second.kind == Kind::kThread && !by_key &&
      info.kind == Kind::kPlain && parent->second.name == info.name) {
    return KeyOf(info.parent, depth + 1);
  }
  // By number: of a thousand children each would have the whole name of what they lie in.
  const auto name = static_cast<int32_t>(by_key ? info.merge_key : info.name);
  std::string above = info.parent == uuid || info.parent == 0 ? "" : KeyOf(info.parent, depth + 1);
  return fmt::format("{}\n{}{}{}", above, info.kind == Kind::kCounter ? "c" : "n",
                     by_key ? "k" : "", name);
}

int32_t TrackLines::ProcessLine(int64_t pid, store::StringId name) {
  auto [found, added] = processes_.try_emplace(pid, -1);
  if (added) {
    store::TrackRow row;
    row.pid = pid;
    row.name = sink_.strings().Text(name);
    found->second = sink_.AddTrack(std::move(row), store::TrackKind::kProcess);
    if (first_pid_ == 0) first_pid_ = pid;
  }
  return found->second;
}

// The process that a track lies in: its own, or that of the nearest above.
int32_t TrackLines::ProcessAbove(uint64_t uuid) {
  std::optional<int64_t> pid;
  for (int i = 0; i < kMostAncestors; ++i) {
    auto found = layout_.tracks.find(uuid);
    if (found == layout_.tracks.end()) break;
    const TrackInfo& info = found->second;
    if (info.kind == Kind::kProcess && (!pid || *pid == info.pid)) {
      return ProcessLine(info.pid, info.name);
    }
    if (info.kind == Kind::kThread && !pid) pid = info.pid;
    if (info.parent == uuid || info.parent == 0) break;
    uuid = info.parent;
  }
  return pid ? ProcessLine(*pid, {}) : -1;
}

int32_t TrackLines::Add(uint64_t uuid, const TrackInfo& info) {
  store::TrackRow row;
  row.name = sink_.strings().Text(info.name);
  const int32_t process = ProcessAbove(uuid);
  if (process >= 0) {
    row.parent = process;
    row.pid = sink_.Track(process).pid;
  }
  if (info.kind == Kind::kProcess && process >= 0 && process == processes_[info.pid]) {
    return process;
  }
  if (info.kind == Kind::kThread) row.tid = info.tid;
  return sink_.AddTrack(std::move(row), info.kind == Kind::kCounter ? store::TrackKind::kCounter
                                                                    : store::TrackKind::kThread);
}

}  // namespace steptrace::import::perfetto
