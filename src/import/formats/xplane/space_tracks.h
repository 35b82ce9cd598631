// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "import/core/rows/part_sink.h"
#include "import/formats/xplane/space_layout.h"

namespace steptrace::import::xplane {

// The tracks of a file's lines. -1: there are too many, which the sink says once.
class SpaceTracks {
 public:
  SpaceTracks(PartSink& part, std::optional<int64_t> pid) : part_(part), pid_(pid) {}

  // Several lines of a plane with one id and one name are one.
  int32_t Of(const PlaneFacts& plane, const LineFacts& line);
  // A figure of a device.
  int32_t Counter(const PlaneFacts& plane, std::string_view name);

 private:
  // By device, -1: of none; by plane; by id of the line, by name.
  using Key = std::tuple<int32_t, std::string, int64_t, std::string>;

  int32_t Found(const Key& key, store::TrackRow row, store::TrackKind kind);
  int32_t Parent(const PlaneFacts& plane);

  PartSink& part_;
  const std::optional<int64_t> pid_;
  std::map<Key, int32_t> tracks_;
};

}  // namespace steptrace::import::xplane
