// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace steptrace::import::xplane {

// What a figure or a text of an event is, by its name.
enum class StatKind : uint8_t {
  kOther,        // goes to the details
  kLeftOut,      // numbers the event, or follows from its line
  kCorrelation,  // joins a call and what it launched
  kStep,         // the number of a step that the script marks
  kOperation,    // hlo_op
  kSource,       // a place in the runtime's own code
  kLaunch,       // "regs:32 grid:4,1,1 block:128,1,1 ..."
  kCopy,         // "kind_src:pinned kind_dst:device size:4096 ..."
  kAllocator,    // of memory events: "GPU_0_bfc"
  kAddress,
  kAllocationBytes,
  kRequestedBytes,
  kAllocatedBytes,
  kReservedBytes,
  kAvailableBytes,
};
StatKind StatKindOf(std::string_view name);

// A value of an event.
struct Stat {
  enum class Kind : uint8_t { kNone, kInteger, kUnsigned, kDouble, kText, kRef } kind = Kind::kNone;
  int64_t metadata_id = 0;
  int64_t integer = 0;  // also of a reference: the id of the text
  uint64_t unsigned_value = 0;
  double real = 0;
  std::string_view text;

  // Of a number, or of a text that is one.
  std::optional<int64_t> Integer() const;
};
// Throws what protozero throws. Bytes, and packed texts, are no value.
Stat ReadStat(std::string_view message);

// Appends `"key":value,`; nothing, where there is no value. `text`: what a reference stands for.
void AppendMember(std::string_view key, const Stat& stat, std::string_view text, std::string* json);
// Appends what the text of a launch tells, as PyTorch's profiler calls it.
void AppendLaunch(std::string_view launch, std::string* json);

// 3 of "GPU_3_bfc", the name of an allocator; none: of the host's memory.
std::optional<int32_t> DeviceOfAllocator(std::string_view name);

}  // namespace steptrace::import::xplane
