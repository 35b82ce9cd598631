// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/computing.h"

#include <algorithm>
#include <set>

#include "analyze/verdict/questions.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

size_t MostDevicesOfARank(const Trace& profile) {
  size_t most = 0;
  for (const RankTrace& rank : profile.ranks) {
    std::set<int32_t> devices;
    for (const TraceEvent& event : rank.device) {
      if (IsDeviceWork(event)) devices.insert(rank.lanes[static_cast<size_t>(event.lane)].device);
    }
    most = std::max(most, devices.size());
  }
  return most;
}

}  // namespace

std::optional<model::Finding> ComputingEvidence(const VerdictInput& input) {
  const auto shares = ExactShares(input.times.total());
  const auto share = [&shares](SubStage stage) { return shares[static_cast<size_t>(stage)]; };
  double busy = 0;
  for (const SubStage stage : kSubStages) {
    if (InfoOf(stage).on_device) busy += share(stage);
  }
  if (busy <= 0 || !SawDeviceWork(input)) return std::nullopt;
  const double computing = share(SubStage::kCompute);
  const double idle = std::max(1 - busy, 0.0);
  const size_t devices = MostDevicesOfARank(*input.report.profile);
  if (devices > 1) {
    return Make(model::finding::DeviceOneOfSeveralComputing{
        .devices = devices, .computing = computing, .idle = idle});
  }
  return Make(model::finding::DeviceComputing{.computing = computing, .idle = idle});
}

}  // namespace steptrace::analyze
