// SPDX-License-Identifier: Apache-2.0
#include "import/formats/perfetto/sequence.h"

#include <utility>

#include "base/utf8.h"
#include "import/formats/perfetto/proto_fields.h"

namespace steptrace::import::perfetto {
namespace {

constexpr size_t kMostDefaults = 1 << 10;
constexpr size_t kMostClocksOfSequence = 256;

// {1: number, field: text}
std::pair<uint64_t, std::string_view> ReadEntry(std::string_view message, uint32_t text_field) {
  std::pair<uint64_t, std::string_view> entry;
  Reader reader = ReaderOf(message);
  while (reader.next()) {
    if (reader.tag_and_type() == Varint(interned::kIid)) {
      entry.first = reader.get_uint64();
    } else if (reader.tag_and_type() == Bytes(text_field)) {
      entry.second = ViewOf(reader);
    } else {
      reader.skip();
    }
  }
  return entry;
}

// A kernel has a name as it is linked, or one to read; the latter counts.
std::pair<uint64_t, std::string_view> ReadKernel(std::string_view message) {
  auto kernel = ReadEntry(message, interned::kKernelDemangled);
  if (kernel.second.empty()) kernel = ReadEntry(message, interned::kText);
  return kernel;
}

void ReadNumbers(Reader& reader, std::vector<uint64_t>* numbers) {
  if (numbers->size() < kMostDefaults) {
    numbers->push_back(reader.get_uint64());
  } else {
    reader.skip();
  }
}

}  // namespace

std::string SoundText(std::string_view text, int64_t* invalid) {
  if (!IsUtf8(text)) ++*invalid;
  return CleanUtf8(text);
}

void Sequence::Intern(std::string_view message, RunSink& sink, int64_t* room, int64_t* invalid) {
  Reader reader = ReaderOf(message);
  auto add = [&](Texts& texts, std::pair<uint64_t, std::string_view> entry) {
    if (*room <= 0 && !texts.contains(entry.first)) {
      --*room;
      return;
    }
    auto [found, added] =
        texts.insert_or_assign(entry.first, sink.Intern(SoundText(entry.second, invalid)));
    *room -= added;
  };
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Bytes(interned::kCategories):
        add(categories, ReadEntry(ViewOf(reader), interned::kText));
        break;
      case Bytes(interned::kNames):
        add(names, ReadEntry(ViewOf(reader), interned::kText));
        break;
      case Bytes(interned::kAnnotationNames):
        add(annotation_names, ReadEntry(ViewOf(reader), interned::kText));
        break;
      case Bytes(interned::kAnnotationTexts):
        add(annotation_texts, ReadEntry(ViewOf(reader), interned::kText));
        break;
      case Bytes(interned::kGpuSpecs):
        add(gpu_specs, ReadEntry(ViewOf(reader), interned::kText));
        break;
      case Bytes(interned::kKernels):
        add(kernels, ReadKernel(ViewOf(reader)));
        break;
      case Bytes(interned::kArgNames):
        add(argument_names, ReadEntry(ViewOf(reader), interned::kText));
        break;
      default:
        reader.skip();
    }
  }
}

void Sequence::SetDefaults(std::string_view message) {
  default_clock.reset();
  default_track.reset();
  default_counters.clear();
  default_double_counters.clear();
  Reader reader = ReaderOf(message);
  while (reader.next()) {
    if (reader.tag_and_type() == Varint(packet::kClockId)) {
      default_clock = reader.get_uint32();
      continue;
    }
    if (reader.tag_and_type() != Bytes(packet::kTrackEvent)) {
      reader.skip();
      continue;
    }
    Reader events = ReaderOf(ViewOf(reader));
    while (events.next()) {
      switch (events.tag_and_type()) {
        case Varint(event::kTrackUuid):
          default_track = events.get_uint64();
          break;
        case Varint(event::kExtraUuids):
          ReadNumbers(events, &default_counters);
          break;
        case Varint(event::kExtraDoubleUuids):
          ReadNumbers(events, &default_double_counters);
          break;
        default:
          events.skip();
      }
    }
  }
}

Snapshot ReadSnapshot(std::string_view message) {
  Snapshot snapshot;
  Reader reader = ReaderOf(message);
  while (reader.next()) {
    if (reader.tag_and_type() == Varint(clock_snapshot::kPrimary)) {
      snapshot.primary = reader.get_uint32();
    } else if (reader.tag_and_type() == Bytes(clock_snapshot::kClock) &&
               snapshot.clocks.size() < kMostClocksOfSequence) {
      SnapshotClock clock;
      Reader fields = ReaderOf(ViewOf(reader));
      while (fields.next()) {
        switch (fields.tag_and_type()) {
          case Varint(clock_snapshot::kId):
            clock.number = fields.get_uint32();
            break;
          case Varint(clock_snapshot::kTime):
            clock.value = static_cast<int64_t>(fields.get_uint64());
            break;
          case Varint(clock_snapshot::kIncremental):
            clock.incremental = fields.get_bool();
            break;
          case Varint(clock_snapshot::kMultiplier):
            clock.unit_ns = static_cast<int64_t>(fields.get_uint64());
            break;
          default:
            fields.skip();
        }
      }
      if (clock.unit_ns == 0) clock.unit_ns = 1;
      snapshot.clocks.push_back(clock);
    } else {
      reader.skip();
    }
  }
  return snapshot;
}

void Sequence::TakeSnapshot(std::string_view message) {
  for (const SnapshotClock& clock : ReadSnapshot(message).clocks) {
    if (clocks.size() < kMostClocksOfSequence || clocks.contains(clock.number)) {
      clocks[clock.number] = {clock.value, clock.unit_ns, clock.incremental};
    }
  }
}

void Sequence::Clear() {
  *this = Sequence();
}

}  // namespace steptrace::import::perfetto
