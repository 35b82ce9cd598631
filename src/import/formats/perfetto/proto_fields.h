// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string_view>

// Field numbers of Perfetto's messages, as far as they are read: google/perfetto,
// protos/perfetto/trace/ (trace_packet, interned_data, clock_snapshot, track_event/*, gpu/*).
namespace steptrace::import::perfetto {

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
  protozero::data_view view = reader.get_view();
  return {view.data(), view.size()};
}

namespace packet {
constexpr uint32_t kPacketOfTrace = 1;
constexpr uint32_t kClockSnapshot = 6, kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11;
constexpr uint32_t kInternedData = 12, kSequenceFlags = 13, kStateClearedFlag = 41;
constexpr uint32_t kPreviousDropped = 42, kDeflated = 50, kGpuStage = 53;
constexpr uint32_t kClockId = 58, kDefaults = 59, kTrackDescriptor = 60, kZstd = 133;
constexpr uint64_t kStateCleared = 1;
}  // namespace packet

namespace clock_snapshot {
constexpr uint32_t kClock = 1, kPrimary = 2;
constexpr uint32_t kId = 1, kTime = 2, kIncremental = 3, kMultiplier = 4;
}  // namespace clock_snapshot

namespace descriptor {
constexpr uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8;
constexpr uint32_t kStaticName = 10, kAtraceName = 13, kDescription = 14, kMergeBehaviour = 15;
constexpr uint32_t kMergeKey = 16, kMergeKeyNumber = 17;
constexpr uint64_t kMergeNone = 2, kMergeByKey = 3;
constexpr uint32_t kProcessPid = 1, kProcessName = 6;
constexpr uint32_t kThreadPid = 1, kThreadTid = 2, kThreadName = 5;
constexpr uint32_t kCounterMultiplier = 4, kCounterIncremental = 5;
}  // namespace descriptor

namespace event {
constexpr uint32_t kCategoryIid = 3, kAnnotation = 4, kLegacy = 6, kType = 9, kNameIid = 10;
constexpr uint32_t kTrackUuid = 11, kExtraValues = 12, kCategory = 22, kName = 23;
constexpr uint32_t kCounterValue = 30, kExtraUuids = 31, kFlowIdsOld = 36, kTerminatingOld = 42;
constexpr uint32_t kDoubleCounterValue = 44, kExtraDoubleUuids = 45, kExtraDoubleValues = 46;
constexpr uint32_t kFlowIds = 47, kTerminating = 48;
constexpr uint32_t kLegacyNameIid = 1, kLegacyPhase = 2, kLegacyDuration = 3;
constexpr uint64_t kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4;
}  // namespace event

namespace annotation {
constexpr uint32_t kNameIid = 1, kBool = 2, kUnsigned = 3, kInteger = 4, kDouble = 5, kText = 6;
constexpr uint32_t kPointer = 7, kNested = 8, kJson = 9, kName = 10, kEntry = 11, kElement = 12;
constexpr uint32_t kTextIid = 17;
constexpr uint32_t kNestedKey = 2, kNestedValue = 3, kNestedElement = 4, kNestedInteger = 5;
constexpr uint32_t kNestedDouble = 6, kNestedBool = 7, kNestedText = 8;
}  // namespace annotation

namespace interned {
constexpr uint32_t kCategories = 1, kNames = 2, kAnnotationNames = 3, kGpuSpecs = 24;
constexpr uint32_t kAnnotationTexts = 29, kKernels = 1000, kArgNames = 1001;
constexpr uint32_t kIid = 1, kText = 2, kKernelDemangled = 3;
}  // namespace interned

namespace gpu {
constexpr uint32_t kDuration = 2, kQueueId = 3, kExtra = 6, kGpuId = 11, kQueueIid = 13;
constexpr uint32_t kStageIid = 14, kName = 17, kKernelIid = 19, kNameIid = 20, kLaunch = 21;
constexpr uint32_t kExtraName = 1, kExtraValue = 2;
constexpr uint32_t kGrid = 1, kBlock = 2, kArg = 3;
constexpr uint32_t kArgNameIid = 1, kArgName = 2, kArgInteger = 3, kArgUnsigned = 4;
}  // namespace gpu

}  // namespace steptrace::import::perfetto
