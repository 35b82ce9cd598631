// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

// One record: what a thread says about one moment. 32 bytes, little endian, no padding.
//
//   byte  0        4        8        12   13    14       16                24               32
//         ├────────┴────────┼────────┼────┼─────┼────────┼─────────────────┼────────────────┤
//         │ tsc (u64)       │ name   │kind│flags│category│ a (u64)         │ b (u64)        │
//         └─────────────────┴────────┴────┴─────┴────────┴─────────────────┴────────────────┘
//   flags  bit 7       kFlagAfterLoss: records of this thread were dropped just before this one
//          bits 5-0    begin, end: how many recorded ranges of this thread are open around this one
//
// The writer leaves `category` 0: it is a property of the name, and the reader fills it in from the
// arena, where it has been checked. All of `tsc` are of the clock that the file's header names.
//
// Worked example: begin of name 3 at clock 0x1122334455667788, inside one open range, a = 5, b = 0:
//
//   88 77 66 55 44 33 22 11   03 00 00 00   01   01   00 00   05 00 .. 00   00 00 .. 00
//   tsc                       name          kind flags category  a            b
//
// What a name and its arguments mean stands in vocabulary.h.
namespace steptrace::wire {

// Stored in ring files: values are fixed for ever and never reused.
enum class RecordKind : uint8_t {
  kBegin = 1,
  kEnd = 2,  // of the innermost open range of the thread; repeats its name
  kInstant = 3,
  kCounter = 4,   // a: the bits of a double
  kFlowOut = 5,   // a: id of the flow
  kFlowIn = 6,    // a: id of the flow
  kPayload = 7,   // a: id of a text in the arena
  kComplete = 8,  // tsc: begin, b: end by the same clock
  // What a device did, as its library tells it later: times are of the device's own clock.
  // tsc: begin, a: end, b: correlation | id of a text << 32 (wire/vocabulary.h, device work)
  kActivity = 9,
  kDetail = 10,  // of the kComplete right behind it: its details (name), sequence (a), bytes (b)
  kTensor = 11,  // what a tensor was at a step, with its parts right behind it (tensor_record.h)
  kTensorPart = 12,
};
inline constexpr uint8_t kLastRecordKind = static_cast<uint8_t>(RecordKind::kTensorPart);

inline constexpr uint8_t kFlagAfterLoss = 0x80;
inline constexpr uint8_t kDepthMask = 0x3F;

// Ranges of one thread that can be open at once; deeper ones are dropped with their ends. It is
// what kDepthMask can say, and no sane nesting of annotations comes near it.
inline constexpr uint32_t kMaxDepth = 64;

struct Record {
  uint64_t tsc;
  uint32_t name;
  uint8_t kind;
  uint8_t flags;
  uint16_t category;
  uint64_t a;
  uint64_t b;
};
static_assert(sizeof(Record) == 32 && alignof(Record) == 8);
static_assert(std::is_trivially_copyable_v<Record> && std::is_standard_layout_v<Record>);
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "ring files are little endian");

// Bytes 12 to 15 as one word, so that the hot path stores them at once.
constexpr uint32_t KindWord(RecordKind kind, uint32_t flags) {
  return static_cast<uint32_t>(kind) | flags << 8;
}

// A record as a value.
inline Record MakeRecord(RecordKind kind, uint64_t tsc, uint32_t name, uint8_t flags, uint64_t a,
                         uint64_t b) {
  return {tsc, name, static_cast<uint8_t>(kind), flags, 0, a, b};
}

}  // namespace steptrace::wire
