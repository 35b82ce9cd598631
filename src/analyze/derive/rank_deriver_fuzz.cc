// SPDX-License-Identifier: Apache-2.0
// Bytes as events, in any order of time and nesting: no crash, exact sums.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "analyze/derive/phase_sums.h"
#include "analyze/derive/rank_deriver.h"

namespace {

using namespace steptrace;

void Check(analyze::RankDeriver& deriver) {
  for (const store::StepRow& row : deriver.TakeSteps()) {
    if (!analyze::SumsExactly(row)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kEventBytes = 8;
  store::StringTable strings;
  analyze::RankDeriver deriver({.world_size = 2}, strings);
  int64_t now_ns = 0;
  for (; size >= kEventBytes; data += kEventBytes, size -= kEventBytes) {
    now_ns += static_cast<int8_t>(data[0]);
    analyze::Event event{.ts_ns = now_ns,
                         .pid = 1 + data[1] % 2,
                         .tid = 1 + data[1] % 4,
                         .kind = static_cast<analyze::MarkKind>(data[2] % 3),
                         .name = static_cast<analyze::HookName>(data[3] % 17),
                         .text = static_cast<store::StringId>(data[4] % 8),
                         .a = data[5] | static_cast<uint64_t>(data[6]) << 32,
                         .b = data[7] | static_cast<uint64_t>(data[4] >> 7) << 32};
    if (data[2] == 0xFF) event.a = event.b = ~0ull;
    deriver.Add(event);
    if (data[1] >= 0xF0) deriver.Advance(now_ns - data[1] % 16);
    if (data[1] == 0xEF) deriver.ProcessEnded(event.pid, now_ns);
    if (data[1] >= 0xF8) Check(deriver);
  }
  deriver.Finish(now_ns);
  Check(deriver);
  return 0;
}
