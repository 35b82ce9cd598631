// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace steptrace::import::perfetto {

// A TracePacket, and a TrackEvent, as they stand in the bytes; views into the packet. Reading
// throws what protozero throws; nothing of a damaged one is used.
struct RawPacket {
  std::optional<uint64_t> timestamp;
  std::optional<uint32_t> clock;
  uint32_t sequence = 0;
  bool clears_state = false;
  uint64_t dropped_before = 0;
  std::string_view snapshot, interned, defaults, event, gpu_stage;
  bool is_track = false;
  bool is_other = false;  // data of a kind that is not read
};
RawPacket ReadPacket(std::string_view bytes);

struct RawTrackEvent {
  enum class Type { kNone, kBegin, kEnd, kInstant, kCounter, kComplete };

  Type type = Type::kNone;
  std::optional<uint64_t> track;
  std::optional<uint64_t> name_number;
  std::string_view name;
  int64_t duration_ns = 0;  // of a complete event, which only the legacy form has
  std::vector<uint64_t> category_numbers;
  std::vector<std::string_view> categories;
  std::vector<std::string_view> annotations;
  std::vector<uint64_t> flows, ending_flows;
  std::optional<double> value;
  std::vector<uint64_t> counters, double_counters;
  std::vector<double> values, double_values;  // as many as counters, or fewer
};
// The event's vectors keep their memory from call to call.
void ReadTrackEvent(std::string_view bytes, RawTrackEvent* event);

}  // namespace steptrace::import::perfetto
