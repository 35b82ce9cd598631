// SPDX-License-Identifier: Apache-2.0
#include "import/formats/perfetto/trace_layout.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "import/formats/perfetto/proto_fields.h"
#include "import/formats/perfetto/sequence.h"

namespace steptrace::import::perfetto {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostRanks = 1 << 16;
constexpr size_t kMostDescription = 64 << 10;
constexpr std::string_view kOwnMark = "steptrace ";

std::optional<int64_t> IntegerIn(const Json& object, const char* key) {
  auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<int64_t>();
}

int32_t SmallIn(const Json& object, const char* key, int32_t otherwise) {
  auto value = IntegerIn(object, key);
  bool fits = value && *value >= std::numeric_limits<int32_t>::min() &&
              *value <= std::numeric_limits<int32_t>::max();
  return fits ? static_cast<int32_t>(*value) : otherwise;
}

std::string TextIn(const Json& object, const char* key) {
  auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// The fields of a message by which it names what it describes.
struct Named {
  int64_t pid = 0;
  int64_t tid = 0;
  std::string_view name;
};

Named ReadNamed(std::string_view message, uint32_t pid, uint32_t tid, uint32_t name) {
  Named named;
  Reader reader = ReaderOf(message);
  while (reader.next()) {
    if (reader.tag_and_type() == Varint(pid)) {
      named.pid = reader.get_int32();
    } else if (tid != 0 && reader.tag_and_type() == Varint(tid)) {
      named.tid = reader.get_int64();
    } else if (reader.tag_and_type() == Bytes(name)) {
      named.name = ViewOf(reader);
    } else {
      reader.skip();
    }
  }
  return named;
}

void ReadCounter(std::string_view message, TrackInfo* track) {
  Reader reader = ReaderOf(message);
  while (reader.next()) {
    if (reader.tag_and_type() == Varint(descriptor::kCounterMultiplier)) {
      track->multiplier = reader.get_int64();
    } else if (reader.tag_and_type() == Varint(descriptor::kCounterIncremental)) {
      track->incremental = reader.get_bool();
    } else {
      reader.skip();
    }
  }
  if (track->multiplier == 0) track->multiplier = 1;
}

}  // namespace

void TraceLayout::Take(std::string_view packet) {
  uint32_t sequence = 0;
  std::string_view snapshot;
  std::string_view track;
  Reader reader = ReaderOf(packet);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Varint(packet::kSequenceId):
        sequence = reader.get_uint32();
        break;
      case Bytes(packet::kClockSnapshot):
        snapshot = ViewOf(reader);
        break;
      case Bytes(packet::kTrackDescriptor):
        track = ViewOf(reader);
        break;
      default:
        reader.skip();
    }
  }
  if (!track.empty()) TakeTrack(track);
  if (snapshot.empty()) return;
  Snapshot read = ReadSnapshot(snapshot);
  std::vector<ClockReading> readings;
  for (const SnapshotClock& clock : read.clocks) {
    ClockReading reading{ClockOf(clock.number, sequence), 0};
    if (__builtin_mul_overflow(clock.value, clock.unit_ns, &reading.ns)) continue;
    readings.push_back(reading);
  }
  clocks.Add(std::move(readings), read.primary);
}

void TraceLayout::TakeTrack(std::string_view message) {
  TrackInfo track;
  uint64_t uuid = 0;
  std::string_view name;
  std::string merge_key;
  std::string_view description;
  Named named;
  Reader reader = ReaderOf(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Varint(descriptor::kUuid):
        uuid = reader.get_uint64();
        break;
      case Varint(descriptor::kParent):
        track.parent = reader.get_uint64();
        break;
      case Bytes(descriptor::kName):
      case Bytes(descriptor::kStaticName):
      case Bytes(descriptor::kAtraceName):
        name = ViewOf(reader);
        break;
      case Bytes(descriptor::kProcess):
        track.kind = TrackInfo::Kind::kProcess;
        named = ReadNamed(ViewOf(reader), descriptor::kProcessPid, 0, descriptor::kProcessName);
        break;
      case Bytes(descriptor::kThread):
        track.kind = TrackInfo::Kind::kThread;
        named = ReadNamed(ViewOf(reader), descriptor::kThreadPid, descriptor::kThreadTid,
                          descriptor::kThreadName);
        break;
      case Bytes(descriptor::kCounter):
        track.kind = TrackInfo::Kind::kCounter;
        ReadCounter(ViewOf(reader), &track);
        break;
      case Bytes(descriptor::kDescription):
        description = ViewOf(reader);
        break;
      case Varint(descriptor::kMergeBehaviour):
        track.merge = static_cast<uint8_t>(reader.get_uint32());
        break;
      case Bytes(descriptor::kMergeKey):
        merge_key = ViewOf(reader);
        break;
      case Varint(descriptor::kMergeKeyNumber):
        merge_key = "#" + std::to_string(reader.get_uint64());
        break;
      default:
        reader.skip();
    }
  }
  track.pid = named.pid;
  track.tid = named.tid;
  auto found = tracks.find(uuid);
  if (found != tracks.end()) {
    // Writers say it again now and then; a name may come later.
    const TrackInfo& first = found->second;
    bool same = first.kind == track.kind && first.pid == track.pid && first.tid == track.tid &&
                first.parent == track.parent;
    duplicate_uuids += !same;
    if (!same) return;
    std::string_view later = name.empty() ? named.name : name;
    if (!later.empty() && first.own == TrackInfo::Own::kNone) {
      found->second.name = sink_.Intern(SoundText(later, &invalid_texts));
    }
    return;
  }
  if (tracks.size() >= kMostDescriptors) {
    ++too_many_tracks;
    return;
  }
  track.name = sink_.Intern(SoundText(name.empty() ? named.name : name, &invalid_texts));
  track.merge_key = sink_.Intern(SoundText(merge_key, &invalid_texts));
  if (description.starts_with(kOwnMark) && description.size() <= kMostDescription) {
    TakeDescription(description.substr(kOwnMark.size()), &track);
  }
  tracks.emplace(uuid, track);
}

size_t TraceLayout::RankIndex(int64_t rank, int64_t node) {
  auto small = [](int64_t number) {
    constexpr int64_t kMostNumber = 10'000'000;  // a rank beyond it is a mistake
    return number >= 0 && number < kMostNumber ? static_cast<int32_t>(number) : -1;
  };
  const std::pair<int32_t, int32_t> key{small(rank), rank < 0 ? std::max(small(node), 0) : 0};
  auto found = own_rank_of_.find(key);
  if (found != own_rank_of_.end()) return found->second;
  if (own_ranks.size() >= kMostRanks) return 0;
  own_rank_of_.emplace(key, own_ranks.size());
  OwnRank added;
  added.facts.rank = small(rank);
  added.facts.node = std::max(small(node), 0);
  own_ranks.push_back(std::move(added));
  return own_ranks.size() - 1;
}

void TraceLayout::TakeDescription(std::string_view text, TrackInfo* track) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return;
  const size_t rank =
      RankIndex(IntegerIn(json, "rank").value_or(-1), IntegerIn(json, "node").value_or(0));
  if (auto number = IntegerIn(json, "track")) {
    auto [found, added] = own_numbers_.try_emplace(*number, own_tracks.size());
    if (added) {
      OwnTrack own;
      own.number = *number;
      own.parent = IntegerIn(json, "parent");
      own.kind = TextIn(json, "kind");
      own.rank = rank;
      own.row.pid = IntegerIn(json, "pid");
      own.row.tid = IntegerIn(json, "tid");
      if (json.contains("device")) own.row.device = SmallIn(json, "device", -1);
      own.row.stream = IntegerIn(json, "stream");
      own.row.name = TextIn(json, "name");
      own_tracks.push_back(std::move(own));
    }
    track->own = TrackInfo::Own::kTrack;
    track->own_index = found->second;
    return;
  }
  track->own_index = rank;
  if (json.contains("view")) {
    bool steps = TextIn(json, "view") == "steps";
    track->own = steps ? TrackInfo::Own::kSteps : TrackInfo::Own::kView;
    return;
  }
  track->own = TrackInfo::Own::kProcess;
  OwnRank& own = own_ranks[rank];
  if (std::exchange(own.described, true)) return;
  own.facts.host = TextIn(json, "host");
  own.facts.local_rank = SmallIn(json, "local_rank", -1);
  own.facts.world_size = SmallIn(json, "world_size", -1);
  own.facts.pid = IntegerIn(json, "pid").value_or(0);
}

}  // namespace steptrace::import::perfetto
