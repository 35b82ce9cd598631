// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/trace_tracks.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "import/formats/kineto/rank_mark.h"

namespace steptrace::import::kineto {
namespace {

std::optional<int64_t> NumberIn(std::string_view text) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void JoinKey(std::string_view pid, std::string_view tid, std::string* key) {
  key->assign(pid);
  key->push_back('\n');
  key->append(tid);
}

}  // namespace

std::optional<int64_t> TraceTracks::DeviceIn(std::string_view pid) {
  return NumberIn(TakeMark(pid).pid);
}

std::optional<int64_t> TraceTracks::StreamIn(std::string_view tid) {
  constexpr std::string_view kPrefix = "stream ";
  if (tid.starts_with(kPrefix)) tid.remove_prefix(kPrefix.size());
  return NumberIn(tid);
}

int32_t TraceTracks::Of(std::string_view pid, std::string_view tid, bool on_device,
                        const DevicePlace& place) {
  auto last = [](std::string_view text) {
    return text.empty() ? 0u : static_cast<unsigned char>(text.back());
  };
  Cached& cached = cache_[(last(pid) * 7 + last(tid) + tid.size() * 3 + on_device) & 63];
  if (cached.track >= 0 && cached.on_device == on_device && cached.tid == tid &&
      cached.pid == pid) {
    return cached.track;
  }
  int32_t track = Find(pid, tid, on_device, place);
  cached.pid = pid;
  cached.tid = tid;
  cached.on_device = on_device;
  cached.track = track;
  return track;
}

int32_t TraceTracks::Find(std::string_view pid, std::string_view tid, bool on_device,
                          const DevicePlace& place) {
  std::string key;
  JoinKey(pid, tid, &key);
  key.push_back(on_device ? 'd' : 'h');
  auto found = tracks_.find(key);
  if (found != tracks_.end()) return found->second;
  int32_t track = Add(pid, tid, on_device, place);
  if (track >= 0) tracks_.emplace(std::move(key), track);
  return track;
}

int32_t TraceTracks::Add(std::string_view pid, std::string_view tid, bool on_device,
                         const DevicePlace& place) {
  store::TrackRow row;
  if (on_device) {
    auto device = place.device ? place.device : DeviceIn(pid);
    if (device) row.device = static_cast<int32_t>(*device);
    if (place.is_stream) row.stream = place.stream ? place.stream : StreamIn(tid);
    row.parent = Device(TakeMark(pid).mark, row.device.value_or(-1));
    if (*row.parent < 0) return -1;  // no more tracks: the stream is not asked for, nor told, too
    if (!row.stream) row.name = tid;
  } else {
    row.pid = NumberIn(TakeMark(pid).pid);
    row.tid = NumberIn(tid);
    if (row.pid && first_pid_ == 0) first_pid_ = *row.pid;
    row.parent = Process(pid);
    if (*row.parent < 0) return -1;
    if (!row.tid) row.name = tid;
  }
  Made made{on_device ? Kind::kStream : Kind::kThread, 0, std::string(pid), std::string(tid)};
  made.place = place;
  return Keep(std::move(made), std::move(row),
              on_device ? store::TrackKind::kStream : store::TrackKind::kThread);
}

int32_t TraceTracks::Keep(Made made, store::TrackRow row, store::TrackKind kind) {
  made.track = sink_.AddTrack(std::move(row), kind);
  if (made.track < 0) return -1;
  made_.push_back(std::move(made));
  return made_.back().track;
}

int32_t TraceTracks::Named(std::string_view pid, std::string_view name, store::TrackKind kind) {
  std::string key;
  JoinKey(pid, name, &key);
  key += store::NameOf(kind);
  auto found = tracks_.find(key);
  if (found != tracks_.end()) return found->second;
  store::TrackRow row;
  row.name = name;
  row.pid = NumberIn(TakeMark(pid).pid);
  row.parent = Process(pid);
  if (*row.parent < 0) return -1;
  Made made{Kind::kNamed, 0, std::string(pid), std::string(name), kind};
  int32_t track = Keep(std::move(made), std::move(row), kind);
  if (track >= 0) tracks_.emplace(std::move(key), track);
  return track;
}

int32_t TraceTracks::Process(std::string_view pid) {
  auto found = processes_.find(std::string(pid));
  if (found != processes_.end()) return found->second;
  store::TrackRow row;
  const MarkedPid parts = TakeMark(pid);
  row.pid = NumberIn(parts.pid);
  if (!row.pid || !parts.mark.empty()) row.name = pid;
  int32_t track =
      Keep({Kind::kProcess, 0, std::string(pid), {}}, std::move(row), store::TrackKind::kProcess);
  if (track >= 0) processes_.emplace(pid, track);
  return track;
}

int32_t TraceTracks::Device(std::string_view mark, int32_t number) {
  std::pair key(std::string(mark), number);
  auto found = devices_.find(key);
  if (found != devices_.end()) return found->second;
  store::TrackRow row;
  row.device = number;
  int32_t track = Keep({Kind::kDevice, 0, key.first, {}, {}, number}, std::move(row),
                       store::TrackKind::kDevice);
  if (track >= 0) devices_.emplace(std::move(key), track);
  return track;
}

void TraceTracks::NameProcess(std::string_view pid, std::string name) {
  process_names_[std::string(pid)] = std::move(name);
}

void TraceTracks::LabelProcess(std::string_view pid, std::string labels) {
  process_labels_[std::string(pid)] = std::move(labels);
}

void TraceTracks::NameThread(std::string_view pid, std::string_view tid, std::string name) {
  std::string key;
  JoinKey(pid, tid, &key);
  thread_names_[std::move(key)] = std::move(name);
}

// In the order in which they came up: tracks get the numbers that they would have got here.
std::vector<int32_t> TraceTracks::Absorb(const TraceTracks& piece) {
  std::vector<int32_t> tracks(piece.made_.size(), -1);
  for (const Made& made : piece.made_) {
    int32_t& track = tracks[static_cast<size_t>(made.track)];
    switch (made.kind) {
      case Kind::kProcess:
        track = Process(made.pid);
        break;
      case Kind::kDevice:
        track = Device(made.pid, made.device);
        break;
      case Kind::kThread:
      case Kind::kStream:
        track = Of(made.pid, made.name, made.kind == Kind::kStream, made.place);
        break;
      case Kind::kNamed:
        track = Named(made.pid, made.name, made.named_kind);
        break;
    }
  }
  for (const auto& [key, name] : piece.process_names_) process_names_[key] = name;
  for (const auto& [key, labels] : piece.process_labels_) process_labels_[key] = labels;
  for (const auto& [key, name] : piece.thread_names_) thread_names_[key] = name;
  return tracks;
}

TraceTracks::MarkedRanks TraceTracks::Ranks() const {
  constexpr size_t kMostRanks = 1 << 12;
  const auto mark_of = [](const Made& made) {
    return made.kind == Kind::kDevice ? std::string_view(made.pid) : TakeMark(made.pid).mark;
  };
  std::map<std::string_view, size_t> marks;
  for (const Made& made : made_) {
    if (!mark_of(made).empty()) marks.emplace(mark_of(made), 0);
  }
  if (marks.size() < 2 || marks.size() > kMostRanks) return {};
  MarkedRanks result;
  for (auto& [mark, place] : marks) {
    place = result.ranks.size();
    result.ranks.push_back({std::string(mark)});
  }
  result.places.assign(made_.size(), result.ranks.size());
  for (const Made& made : made_) {
    const auto found = marks.find(mark_of(made));
    if (found == marks.end()) continue;
    result.places[static_cast<size_t>(made.track)] = found->second;
    int64_t& pid = result.ranks[found->second].first_pid;
    if (made.kind == Kind::kThread && pid == 0) pid = NumberIn(TakeMark(made.pid).pid).value_or(0);
  }
  return result;
}

void TraceTracks::SetNames() {
  std::string key;
  for (const Made& made : made_) {
    if (made.kind != Kind::kThread && made.kind != Kind::kStream) continue;
    JoinKey(made.pid, made.name, &key);
    auto found = thread_names_.find(key);
    if (found != thread_names_.end()) sink_.Track(made.track).name = found->second;
  }
  for (const auto& [pid, track] : processes_) {
    if (track < 0) continue;
    store::TrackRow& row = sink_.Track(track);
    if (auto name = process_names_.find(pid); name != process_names_.end()) row.name = name->second;
    auto labels = process_labels_.find(pid);
    if (labels != process_labels_.end() && !labels->second.empty()) {
      row.name += (row.name.empty() ? "" : " ") + labels->second;
    }
  }
}

}  // namespace steptrace::import::kineto
