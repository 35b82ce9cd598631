// SPDX-License-Identifier: Apache-2.0
#include "import/formats/xplane/space_layout.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/utf8.h"
#include "import/core/bounded_name.h"
#include "import/core/xla_events.h"
#include "import/formats/xplane/proto_fields.h"

namespace steptrace::import::xplane {
namespace {

constexpr size_t kMostStats = 256;  // of a plane itself
constexpr size_t kMostText = 512;   // of what is said once
// Of the stats of a metadata: each event that means it has them again.
constexpr size_t kMostStatBytes = 4096;
constexpr int kMostShared = 64;

PlaneKind KindOfPlane(std::string_view name) {
  if (name == "/host:metadata") return PlaneKind::kPrograms;
  if (name == "Task Environment") return PlaneKind::kSession;
  if (name.starts_with("/host:") || name.starts_with("/device:CPU:")) return PlaneKind::kHost;
  return XlaDeviceIn(name) ? PlaneKind::kDevice : PlaneKind::kUnknown;
}

// xla/tsl/profiler/utils/xplane_schema.cc; the names with TensorFlow in them are older.
bool IsDerivedLine(std::string_view name) {
  constexpr std::array<std::string_view, 14> kNames = {
      "Steps",         "XLA Modules",          "XLA Ops",        "Async XLA Ops",
      "Framework Ops", "Framework Name Scope", "TensorFlow Ops", "TensorFlow Name Scope",
      "XLA TraceMe",   "Launch Stats",         "Source code",    "Host Offload Ops",
      "Kernel Launch", "Scope Range ID"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

SpaceLineKind KindOfLine(const PlaneFacts& plane, const LineFacts& line, bool has_streams) {
  if (plane.kind == PlaneKind::kHost) return SpaceLineKind::kHost;
  if (plane.kind != PlaneKind::kDevice) return SpaceLineKind::kUnknown;
  if (line.stream >= 0) return SpaceLineKind::kStream;
  const std::string& name = line.Name();
  if (name == "_counters_") return SpaceLineKind::kCounters;
  if (name == "XLA Ops" && !has_streams) return SpaceLineKind::kOps;
  return IsDerivedLine(name) ? SpaceLineKind::kDerived : SpaceLineKind::kUnknown;
}

// Appends a field of protobuf, so that several are one text.
void AppendStat(std::string_view stat, std::string* stats) {
  stats->push_back(static_cast<char>(in_event_metadata::kStat << 3 | 2));
  size_t left = stat.size();
  for (; left >= 0x80; left >>= 7) stats->push_back(static_cast<char>((left & 0x7f) | 0x80));
  stats->push_back(static_cast<char>(left));
  stats->append(stat);
}

}  // namespace

const StatMeta* PlaneFacts::StatOf(int64_t id) const {
  const int32_t place = stat_index.Find(id);
  return place < 0 ? nullptr : &stat_metas[static_cast<size_t>(place)];
}

std::string_view PlaneFacts::TextOf(const Stat& stat) const {
  if (stat.kind == Stat::Kind::kText) return stat.text;
  if (stat.kind != Stat::Kind::kRef) return {};
  const StatMeta* meta = StatOf(stat.integer);
  return meta == nullptr ? std::string_view() : std::string_view(meta->name);
}

PlaneFacts* SpaceLayout::Plane() {
  return in_plane_ ? &planes_.back() : nullptr;
}

LineFacts* SpaceLayout::Line() {
  return in_line_ ? &planes_.back().lines.back() : nullptr;
}

void SpaceLayout::Begin(SpaceLevel level) {
  if (level == SpaceLevel::kPlane) {
    in_plane_ = planes_.size() < kMostPlanes;
    if (in_plane_) planes_.emplace_back();
    return;
  }
  in_line_ = in_plane_ && lines_ < kMostLines;
  if (!in_line_) return;
  ++lines_;
  planes_.back().lines.emplace_back();
}

void SpaceLayout::End(SpaceLevel level) {
  if (level == SpaceLevel::kLine) {
    in_line_ = false;
    return;
  }
  if (PlaneFacts* plane = Plane()) {
    for (LineFacts& line : plane->lines) line.stream = XlaStreamIn(line.Name());
    const bool has_streams = std::any_of(plane->lines.begin(), plane->lines.end(),
                                         [](const LineFacts& line) { return line.stream >= 0; });
    for (LineFacts& line : plane->lines) line.kind = KindOfLine(*plane, line, has_streams);
  }
  in_plane_ = false;
}

bool SpaceLayout::Skips(SpaceLevel level, uint32_t field) const {
  switch (level) {
    case SpaceLevel::kSpace:
      return field != in_space::kError && field != in_space::kWarning &&
             field != in_space::kHostname;
    case SpaceLevel::kPlane:
      if (!in_plane_) return true;
      if (field == in_plane::kEventMetadata) return planes_.back().kind == PlaneKind::kPrograms;
      return field != in_plane::kName && field != in_plane::kStatMetadata &&
             field != in_plane::kStat;
    case SpaceLevel::kLine:
      return !in_line_ || (field != in_line::kName && field != in_line::kDisplayName);
  }
  return true;
}

void SpaceLayout::Number(SpaceLevel level, uint32_t field, uint64_t value) {
  LineFacts* line = Line();
  if (level != SpaceLevel::kLine || line == nullptr) return;
  if (field == in_line::kId) line->id = static_cast<int64_t>(value);
  if (field == in_line::kTimestampNs) line->timestamp_ns = static_cast<int64_t>(value);
}

Status SpaceLayout::Take(SpaceLevel level, uint32_t field, std::string_view bytes) {
  if (level == SpaceLevel::kSpace) {
    if (field == in_space::kHostname) {
      if (host_.empty()) host_ = Kept(bytes);
    } else if (warnings_++ == 0) {
      first_warning_ = CleanUtf8(bytes.substr(0, WholeCharacters(bytes, kMostText)));
    }
  } else if (level == SpaceLevel::kPlane) {
    try {
      TakeInPlane(field, bytes);
    } catch (const protozero::exception&) {
      ++lost_[LossCause::kDamagedPacket];
      Damaged();
    }
  } else if (LineFacts* line = Line()) {
    (field == in_line::kName ? line->name : line->display_name) = Kept(bytes);
  }
  return {};
}

void SpaceLayout::TakeInPlane(uint32_t field, std::string_view bytes) {
  PlaneFacts& plane = planes_.back();
  if (field == in_plane::kName) {
    plane.name = Kept(bytes);
    plane.kind = KindOfPlane(plane.name);
    plane.device = XlaDeviceIn(plane.name);
  } else if (field == in_plane::kEventMetadata) {
    AddEventMeta(bytes);
  } else if (field == in_plane::kStatMetadata) {
    AddStatMeta(bytes);
  } else if (plane.stats.size() < kMostStats && HasRoom(bytes.size())) {
    plane.stats.emplace_back(bytes);
  }
}

void SpaceLayout::Damaged() {
  if (PlaneFacts* plane = Plane()) plane->damaged = true;
}

// A name that stands once and is meant by many.
std::string SpaceLayout::Kept(std::string_view name) {
  int64_t cut = 0;
  std::string kept = ShortName(name, &cut);
  if (cut > 0) ++lost_[LossCause::kNameTooLong];
  return kept;
}

bool SpaceLayout::HasRoom(size_t text_bytes) {
  const bool fits = metadata_ < kMostMetadata &&
                    text_bytes_ + static_cast<int64_t>(text_bytes) <= most_text_bytes_;
  if (!fits) {
    ++lost_[LossCause::kTextLimit];
    return false;
  }
  ++metadata_;
  text_bytes_ += static_cast<int64_t>(text_bytes);
  return true;
}

void SpaceLayout::AddEventMeta(std::string_view entry) {
  int64_t id = 0;
  int shared = 0;
  EventMeta meta;
  std::string_view name;
  std::string_view display_name;
  Reader reader = ReaderOf(entry);
  while (reader.next()) {
    if (reader.tag_and_type() == Varint(in_entry::kKey)) {
      id = reader.get_int64();
    } else if (reader.tag_and_type() == Bytes(in_entry::kValue)) {
      Reader value = ReaderOf(ViewOf(reader));
      while (value.next()) {
        switch (value.tag_and_type()) {
          case Varint(in_event_metadata::kId):
            if (id == 0) {
              id = value.get_int64();
            } else {
              value.skip();
            }
            break;
          case Bytes(in_event_metadata::kName):
            name = ViewOf(value);
            break;
          case Bytes(in_event_metadata::kDisplayName):
            display_name = ViewOf(value);
            break;
          case Bytes(in_event_metadata::kStat):
            if (const std::string_view stat = ViewOf(value);
                ++shared <= kMostShared && meta.stats.size() + stat.size() < kMostStatBytes) {
              AppendStat(stat, &meta.stats);
            } else {
              ++lost_[LossCause::kTextLimit];
            }
            break;
          default:
            value.skip();
        }
      }
    } else {
      reader.skip();
    }
  }
  if (!HasRoom(std::min(name.size(), kMostNameBytes) +
               std::min(display_name.size(), kMostNameBytes) + meta.stats.size())) {
    return;
  }
  meta.name = Kept(name);
  meta.display_name = Kept(display_name);
  PlaneFacts& plane = planes_.back();
  plane.event_index.Put(id, static_cast<int32_t>(plane.event_metas.size()));
  plane.event_metas.push_back(std::move(meta));
}

void SpaceLayout::AddStatMeta(std::string_view entry) {
  int64_t id = 0;
  std::string_view name;
  Reader reader = ReaderOf(entry);
  while (reader.next()) {
    if (reader.tag_and_type() == Varint(in_entry::kKey)) {
      id = reader.get_int64();
    } else if (reader.tag_and_type() == Bytes(in_entry::kValue)) {
      Reader value = ReaderOf(ViewOf(reader));
      while (value.next()) {
        if (value.tag_and_type() == Bytes(in_stat_metadata::kName)) {
          name = ViewOf(value);
        } else if (value.tag_and_type() == Varint(in_stat_metadata::kId) && id == 0) {
          id = value.get_int64();
        } else {
          value.skip();
        }
      }
    } else {
      reader.skip();
    }
  }
  if (!HasRoom(std::min(name.size(), kMostNameBytes))) return;
  PlaneFacts& plane = planes_.back();
  plane.stat_index.Put(id, static_cast<int32_t>(plane.stat_metas.size()));
  plane.stat_metas.push_back({StatKindOf(name), Kept(name)});
}

SpaceLayout::Own SpaceLayout::OwnStat(std::string_view name) const {
  for (const PlaneFacts& plane : planes_) {
    for (const std::string& message : plane.stats) {
      try {
        const Stat stat = ReadStat(message);
        const StatMeta* meta = plane.StatOf(stat.metadata_id);
        if (meta == nullptr || meta->name != name) continue;
        return {stat.Integer(), std::string(plane.TextOf(stat))};
      } catch (const protozero::exception&) {
      }
    }
  }
  return {};
}

std::optional<int64_t> SpaceLayout::BeginNs() const {
  return OwnStat("profile_start_time").number;
}

std::optional<int64_t> SpaceLayout::Pid() const {
  const auto pid = OwnStat("process_id").number;
  return pid && *pid > 0 && *pid <= std::numeric_limits<int32_t>::max() ? pid : std::nullopt;
}

std::string SpaceLayout::JaxVersion() const {
  return OwnStat("jax_version").text;
}

}  // namespace steptrace::import::xplane
