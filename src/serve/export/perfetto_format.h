// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <utility>

#include "base/text_hash.h"

// Field numbers of Perfetto's messages and what its writer keeps between packets: google/perfetto,
// protos/perfetto/trace/ (trace_packet, track_event/*, interned_data, clock_snapshot).
namespace steptrace::exporter {

namespace packet {
constexpr uint32_t kPacketOfTrace = 1;
constexpr uint32_t kClockSnapshot = 6, kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11;
constexpr uint32_t kInternedData = 12, kSequenceFlags = 13, kTrackDescriptor = 60;
constexpr uint64_t kStateCleared = 1, kNeedsState = 2;
}  // namespace packet

namespace descriptor {
constexpr uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8;
constexpr uint32_t kDescription = 14;
constexpr uint32_t kProcessPid = 1, kProcessName = 6;
constexpr uint32_t kThreadPid = 1, kThreadTid = 2, kThreadName = 5;
}  // namespace descriptor

namespace event {
constexpr uint32_t kCategoryIid = 3, kAnnotation = 4, kType = 9, kNameIid = 10, kTrackUuid = 11;
constexpr uint32_t kDoubleCounterValue = 44, kFlowId = 47;
constexpr uint64_t kBegin = 1, kEnd = 2, kInstant = 3, kCounterType = 4;
}  // namespace event

namespace interned {
constexpr uint32_t kCategories = 1, kNames = 2, kAnnotationNames = 3, kIid = 1, kText = 2;
}  // namespace interned

namespace annotation {
constexpr uint32_t kNameIid = 1, kInteger = 4, kText = 6, kJson = 9;
}  // namespace annotation

// Uuids by kind, apart from each other whatever the numbers.
enum class Uuid : uint64_t {
  kProcess = 1,
  kTrack = 2,
  kOverflow = 3,
  kSteps = 4,
  kMemory = 5,
  kNode = 6
};
inline uint64_t UuidOf(Uuid kind, int64_t number) {
  return static_cast<uint64_t>(kind) << 56 | (static_cast<uint64_t>(number) & 0xffffffffffffff);
}

// A message while fields are added to it.
struct Message {
  Message() = default;
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  std::string bytes;
  protozero::pbf_writer fields{bytes};
};

// Texts that repeat go into the trace once, until there are too many: then it starts anew.
class Interner {
 public:
  // The number of a text; what is new is added to `news` under `field`.
  uint64_t Of(uint32_t field, const std::string& text, Message& news) {
    auto [found, added] = known_.try_emplace({field, text}, known_.size() + 1);
    if (added) {
      Message entry;
      entry.fields.add_uint64(interned::kIid, found->second);
      entry.fields.add_string(interned::kText, text);
      news.fields.add_message(field, entry.bytes);
    }
    return found->second;
  }
  bool full() const { return known_.size() >= kMostKnown; }
  void Clear() { known_.clear(); }

 private:
  static constexpr size_t kMostKnown = 1 << 16;
  std::map<std::pair<uint32_t, std::string>, uint64_t> known_;
};

// What repeats is checked once.
class JsonCheck {
 public:
  bool Is(const std::string& text) {
    if (known_.size() >= kMostKnown) known_.clear();
    auto [found, added] = known_.try_emplace(text, false);
    if (added) found->second = nlohmann::json::accept(text);
    return found->second;
  }

 private:
  static constexpr size_t kMostKnown = 1 << 14;
  SeededMap<std::string, bool> known_;
};

}  // namespace steptrace::exporter
