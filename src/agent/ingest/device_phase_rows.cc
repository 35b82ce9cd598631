// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/device_phase_rows.h"

#include <fmt/format.h>

#include "analyze/device/device_phase_sums.h"
#include "wire/vocabulary.h"

namespace steptrace::agent {
namespace {

constexpr uint32_t kMostPhaseDevices = 64;  // of a process: the probe itself tells of 8

}  // namespace

bool PlaceDevicePhase(uint64_t a, SideTracks& lines, std::vector<store::SliceRow>& rows) {
  const auto device = static_cast<uint32_t>(a);
  const auto behind_us = static_cast<uint32_t>(a >> 32);
  if (device >= kMostPhaseDevices) {
    rows.pop_back();
    return false;
  }
  store::SliceRow& row = rows.back();
  row.track = lines.Of(fmt::format("{} {}", analyze::kDevicePhasesTrack, device), row.ts_ns,
                       row.ts_ns + row.dur_ns);
  row.args = behind_us == wire::kUnknownBehind
                 ? fmt::format("{{\"device\":{}}}", device)
                 : fmt::format("{{\"device\":{},\"behind_us\":{}}}", device, behind_us);
  return true;
}

}  // namespace steptrace::agent
