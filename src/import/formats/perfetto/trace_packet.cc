// SPDX-License-Identifier: Apache-2.0
#include "import/formats/perfetto/trace_packet.h"

#include "import/formats/perfetto/proto_fields.h"

namespace steptrace::import::perfetto {
namespace {

constexpr size_t kMostRepeated = 1 << 12;  // of what repeats in one event
constexpr int64_t kNsPerMicrosecond = 1000;

template <class T>
void Push(std::vector<T>* list, T value) {
  if (list->size() < kMostRepeated) list->push_back(value);
}

// Numbers that repeat may also come packed: one field of many.
void PushVarints(Reader& reader, std::vector<uint64_t>* list) {
  for (uint64_t value : reader.get_packed_uint64()) Push(list, value);
}
void PushFixed(Reader& reader, std::vector<uint64_t>* list) {
  for (uint64_t value : reader.get_packed_fixed64()) Push(list, value);
}

// Of Chrome's old form the phase, where no type is given.
void ReadLegacy(std::string_view bytes, RawTrackEvent* event) {
  int32_t phase = 0;
  int64_t duration_us = 0;
  Reader reader = ReaderOf(bytes);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Varint(event::kLegacyNameIid):
        event->name_number = reader.get_uint64();
        break;
      case Varint(event::kLegacyPhase):
        phase = reader.get_int32();
        break;
      case Varint(event::kLegacyDuration):
        duration_us = reader.get_int64();
        break;
      default:
        reader.skip();
    }
  }
  if (event->type != RawTrackEvent::Type::kNone) return;
  switch (phase) {
    case 'B':
      event->type = RawTrackEvent::Type::kBegin;
      break;
    case 'E':
      event->type = RawTrackEvent::Type::kEnd;
      break;
    case 'i':
    case 'I':
    case 'R':
      event->type = RawTrackEvent::Type::kInstant;
      break;
    case 'X':
      if (__builtin_mul_overflow(duration_us, kNsPerMicrosecond, &event->duration_ns)) break;
      event->type = RawTrackEvent::Type::kComplete;
      break;
    default:
      break;
  }
}

RawTrackEvent::Type TypeOf(uint64_t number) {
  switch (number) {
    case event::kBegin:
      return RawTrackEvent::Type::kBegin;
    case event::kEnd:
      return RawTrackEvent::Type::kEnd;
    case event::kInstant:
      return RawTrackEvent::Type::kInstant;
    case event::kCounter:
      return RawTrackEvent::Type::kCounter;
    default:
      return RawTrackEvent::Type::kNone;
  }
}

// What an event says of counters; false: the field is none of those.
bool ReadCounterField(Reader& reader, RawTrackEvent* event) {
  switch (reader.tag_and_type()) {
    case Varint(event::kCounterValue):
      event->value = static_cast<double>(reader.get_int64());
      return true;
    case Fixed64(event::kDoubleCounterValue):
      event->value = reader.get_double();
      return true;
    case Varint(event::kExtraUuids):
      Push(&event->counters, reader.get_uint64());
      return true;
    case Bytes(event::kExtraUuids):
      PushVarints(reader, &event->counters);
      return true;
    case Varint(event::kExtraValues):
      Push(&event->values, static_cast<double>(reader.get_int64()));
      return true;
    case Bytes(event::kExtraValues):
      for (int64_t value : reader.get_packed_int64()) {
        Push(&event->values, static_cast<double>(value));
      }
      return true;
    case Varint(event::kExtraDoubleUuids):
      Push(&event->double_counters, reader.get_uint64());
      return true;
    case Bytes(event::kExtraDoubleUuids):
      PushVarints(reader, &event->double_counters);
      return true;
    case Fixed64(event::kExtraDoubleValues):
      Push(&event->double_values, reader.get_double());
      return true;
    case Bytes(event::kExtraDoubleValues):
      for (double value : reader.get_packed_double()) Push(&event->double_values, value);
      return true;
    default:
      return false;
  }
}

bool ReadFlowField(Reader& reader, RawTrackEvent* event) {
  switch (reader.tag_and_type()) {
    case Varint(event::kFlowIdsOld):
      Push(&event->flows, reader.get_uint64());
      return true;
    case Fixed64(event::kFlowIds):
      Push(&event->flows, reader.get_fixed64());
      return true;
    case Bytes(event::kFlowIds):
      PushFixed(reader, &event->flows);
      return true;
    case Varint(event::kTerminatingOld):
      Push(&event->ending_flows, reader.get_uint64());
      return true;
    case Fixed64(event::kTerminating):
      Push(&event->ending_flows, reader.get_fixed64());
      return true;
    case Bytes(event::kTerminating):
      PushFixed(reader, &event->ending_flows);
      return true;
    default:
      return false;
  }
}

void Clear(RawTrackEvent* event) {
  event->type = RawTrackEvent::Type::kNone;
  event->track.reset();
  event->name_number.reset();
  event->name = {};
  event->duration_ns = 0;
  event->value.reset();
  event->category_numbers.clear();
  event->categories.clear();
  event->annotations.clear();
  event->flows.clear();
  event->ending_flows.clear();
  event->counters.clear();
  event->double_counters.clear();
  event->values.clear();
  event->double_values.clear();
}

}  // namespace

RawPacket ReadPacket(std::string_view bytes) {
  RawPacket raw;
  Reader reader = ReaderOf(bytes);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Varint(packet::kTimestamp):
        raw.timestamp = reader.get_uint64();
        break;
      case Varint(packet::kClockId):
        raw.clock = reader.get_uint32();
        break;
      case Varint(packet::kSequenceId):
        raw.sequence = reader.get_uint32();
        break;
      case Varint(packet::kSequenceFlags):
        raw.clears_state = raw.clears_state || (reader.get_uint64() & packet::kStateCleared) != 0;
        break;
      case Varint(packet::kStateClearedFlag):
        raw.clears_state = raw.clears_state || reader.get_uint64() != 0;
        break;
      case Varint(packet::kPreviousDropped):
        raw.dropped_before = reader.get_uint64();
        break;
      case Bytes(packet::kClockSnapshot):
        raw.snapshot = ViewOf(reader);
        break;
      case Bytes(packet::kInternedData):
        raw.interned = ViewOf(reader);
        break;
      case Bytes(packet::kDefaults):
        raw.defaults = ViewOf(reader);
        break;
      case Bytes(packet::kTrackEvent):
        raw.event = ViewOf(reader);
        break;
      case Bytes(packet::kGpuStage):
        raw.gpu_stage = ViewOf(reader);
        break;
      case Bytes(packet::kTrackDescriptor):
        raw.is_track = true;
        reader.skip();
        break;
      default:
        // Fields with a message hold data; the others say something about the packet.
        raw.is_other = raw.is_other || reader.wire_type() == pbf_wire_type::length_delimited;
        reader.skip();
    }
  }
  return raw;
}

void ReadTrackEvent(std::string_view bytes, RawTrackEvent* event) {
  Clear(event);
  std::string_view legacy;
  Reader reader = ReaderOf(bytes);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Varint(event::kType):
        event->type = TypeOf(reader.get_uint64());
        break;
      case Varint(event::kTrackUuid):
        event->track = reader.get_uint64();
        break;
      case Varint(event::kNameIid):
        event->name_number = reader.get_uint64();
        break;
      case Bytes(event::kName):
        event->name = ViewOf(reader);
        break;
      case Varint(event::kCategoryIid):
        Push(&event->category_numbers, reader.get_uint64());
        break;
      case Bytes(event::kCategoryIid):
        PushVarints(reader, &event->category_numbers);
        break;
      case Bytes(event::kCategory):
        Push(&event->categories, ViewOf(reader));
        break;
      case Bytes(event::kAnnotation):
        Push(&event->annotations, ViewOf(reader));
        break;
      case Bytes(event::kLegacy):
        legacy = ViewOf(reader);
        break;
      default:
        if (!ReadCounterField(reader, event) && !ReadFlowField(reader, event)) reader.skip();
    }
  }
  if (legacy.data() != nullptr) ReadLegacy(legacy, event);
}

}  // namespace steptrace::import::perfetto
