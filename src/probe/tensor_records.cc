// SPDX-License-Identifier: Apache-2.0
#include "probe/tensor_records.h"

#include "transport/writer/writer.h"

namespace steptrace::probe {
namespace {

namespace t = transport;

struct Held {
  TensorSubject subject;
  uint64_t tsc;
  TensorStats stats;
};
Held g_held[kMostHeldTensors];
uint32_t g_held_count = 0;

uint64_t Bits(double value) {
  return __builtin_bit_cast(uint64_t, value);
}

bool WriteTensorRecords(const TensorSubject& subject, uint64_t tsc, uint64_t step,
                        const TensorStats& stats) {
  wire::Record records[1 + wire::kMostTensorParts];
  const uint32_t count = MakeTensorRecords(subject, tsc, step, stats, records);
  return t::WriteReady(records, count);
}

}  // namespace

uint32_t MakeTensorRecords(const TensorSubject& subject, uint64_t tsc, uint64_t step,
                           const TensorStats& stats, wire::Record out[1 + wire::kMostTensorParts]) {
  static_assert(kExponentBins == wire::kTensorBins);
  static_assert(kLowestExponent == wire::kTensorLowestExponent);
  uint64_t words[wire::kMostTensorParts * wire::kTensorWordsOfPart] = {
      stats.nan,       stats.positive_inf,  stats.negative_inf,
      stats.zeros,     Bits(stats.min),     Bits(stats.max),
      Bits(stats.sum), Bits(stats.abs_sum), Bits(stats.square_sum)};
  uint32_t count = wire::kTensorFixedWords;
  for (uint32_t bin = 0; bin < wire::kTensorBins; ++bin) {
    if (stats.exponents[bin] != 0) words[count++] = wire::TensorBin(bin, stats.exponents[bin]);
  }
  const uint32_t parts = (count + wire::kTensorWordsOfPart - 1) / wire::kTensorWordsOfPart;
  const uint64_t header =
      wire::TensorHeader(step, static_cast<uint8_t>(subject.role),
                         static_cast<uint8_t>(subject.type), static_cast<uint8_t>(parts));
  out[0] = wire::MakeRecord(wire::RecordKind::kTensor, tsc, subject.name, 0, header, stats.numel);
  for (uint32_t part = 0; part < parts; ++part) {
    const uint64_t* three = words + part * wire::kTensorWordsOfPart;
    out[1 + part] = wire::MakeRecord(wire::RecordKind::kTensorPart, three[0], subject.name, 0,
                                     three[1], three[2]);
  }
  return 1 + parts;
}

bool HasRoomForTensor() {
  t::RequestLargeRing();
  return t::HasRoom(1 + wire::kMostTensorParts);
}

bool WriteTensor(const TensorSubject& subject, uint64_t step, const TensorStats& stats) {
  return WriteTensorRecords(subject, t::ClockTicks(), step, stats);
}

bool HoldTensor(const TensorSubject& subject, const TensorStats& stats) {
  if (g_held_count == kMostHeldTensors) return false;
  g_held[g_held_count++] = {subject, t::ClockTicks(), stats};
  return true;
}

void WriteHeldTensors(uint64_t step) {
  for (uint32_t i = 0; i < g_held_count; ++i) {
    WriteTensorRecords(g_held[i].subject, g_held[i].tsc, step, g_held[i].stats);
  }
  g_held_count = 0;
}

}  // namespace steptrace::probe
