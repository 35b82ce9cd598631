// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string_view>

// Field numbers of XSpace and its parts: openxla/xla, xla/tsl/profiler/protobuf/xplane.proto.
namespace steptrace::import::xplane {

using Reader = protozero::pbf_reader;
using protozero::pbf_wire_type;

// A field as one number, for a switch: a known field with another wire type is an unknown field.
constexpr uint32_t Varint(uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::varint);
}
constexpr uint32_t Fixed64(uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::fixed64);
}
constexpr uint32_t Bytes(uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::length_delimited);
}

inline Reader ReaderOf(std::string_view bytes) {
  return Reader(bytes.data(), bytes.size());
}
inline std::string_view ViewOf(Reader& reader) {
  const protozero::data_view view = reader.get_view();
  return {view.data(), view.size()};
}

namespace in_space {
constexpr uint32_t kPlane = 1, kError = 2, kWarning = 3, kHostname = 4;
}  // namespace in_space

namespace in_plane {
constexpr uint32_t kId = 1, kName = 2, kLine = 3, kEventMetadata = 4, kStatMetadata = 5, kStat = 6;
}  // namespace in_plane

namespace in_line {
constexpr uint32_t kId = 1, kName = 2, kTimestampNs = 3, kEvent = 4, kDisplayName = 11;
}  // namespace in_line

namespace in_event {
constexpr uint32_t kMetadataId = 1, kOffsetPs = 2, kDurationPs = 3, kStat = 4, kOccurrences = 5;
}  // namespace in_event

namespace in_stat {
constexpr uint32_t kMetadataId = 1, kDouble = 2, kUnsigned = 3, kInteger = 4, kText = 5, kRef = 7;
}  // namespace in_stat

// Of a map: the number, and what it stands for.
namespace in_entry {
constexpr uint32_t kKey = 1, kValue = 2;
}  // namespace in_entry

namespace in_event_metadata {
constexpr uint32_t kId = 1, kName = 2, kDisplayName = 4, kStat = 5;
}  // namespace in_event_metadata

namespace in_stat_metadata {
constexpr uint32_t kId = 1, kName = 2;
}  // namespace in_stat_metadata

}  // namespace steptrace::import::xplane
