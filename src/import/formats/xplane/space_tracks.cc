// SPDX-License-Identifier: Apache-2.0
#include "import/formats/xplane/space_tracks.h"

#include <limits>
#include <utility>

namespace steptrace::import::xplane {
namespace {

// What no line has.
constexpr int64_t kOfPlane = std::numeric_limits<int64_t>::min();
constexpr int64_t kOfCounter = kOfPlane + 1;

}  // namespace

int32_t SpaceTracks::Found(const Key& key, store::TrackRow row, store::TrackKind kind) {
  const auto [found, is_new] = tracks_.try_emplace(key, -1);
  if (is_new) found->second = part_.AddTrack(std::move(row), kind);
  return found->second;
}

// The planes of one device are one: a TPU has some for its cores.
int32_t SpaceTracks::Parent(const PlaneFacts& plane) {
  store::TrackRow row;
  if (plane.device) {
    row.device = plane.device;
    return Found({*plane.device, {}, kOfPlane, {}}, std::move(row), store::TrackKind::kDevice);
  }
  row.name = plane.name;
  row.pid = pid_;
  return Found({-1, plane.name, kOfPlane, {}}, std::move(row), store::TrackKind::kProcess);
}

int32_t SpaceTracks::Of(const PlaneFacts& plane, const LineFacts& line) {
  const int32_t parent = Parent(plane);
  if (parent < 0) return -1;
  store::TrackRow row;
  row.parent = parent;
  row.name = line.Name();
  const Key key(plane.device.value_or(-1), plane.name, line.id, row.name);
  if (plane.device) {
    row.device = plane.device;
    if (line.kind == SpaceLineKind::kStream) {
      row.stream = line.stream;
      row.name.clear();  // the stream has a number, and kinds of its work are in its rows
    }
    return Found(key, std::move(row), store::TrackKind::kStream);
  }
  row.pid = pid_;
  // Threads of the runtime's own pools are numbered by hashes.
  if (line.id > 0 && line.id <= std::numeric_limits<int32_t>::max()) row.tid = line.id;
  return Found(key, std::move(row), store::TrackKind::kThread);
}

int32_t SpaceTracks::Counter(const PlaneFacts& plane, std::string_view name) {
  const int32_t parent = Parent(plane);
  if (parent < 0) return -1;
  store::TrackRow row;
  row.parent = parent;
  row.device = plane.device;
  row.name = name;
  const Key key(plane.device.value_or(-1), plane.name, kOfCounter, row.name);
  return Found(key, std::move(row), store::TrackKind::kCounter);
}

}  // namespace steptrace::import::xplane
