// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/computing.h"

#include <algorithm>
#include <set>

#include "analyze/report/sentence.h"
#include "analyze/verdict/evidence.h"

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

std::optional<Evidence> ComputingEvidence(const VerdictInput& input) {
  const auto shares = ExactShares(input.times.total());
  const auto share = [&shares](SubStage stage) { return shares[static_cast<size_t>(stage)]; };
  double busy = 0;
  for (SubStage stage : {SubStage::kCompute, SubStage::kExposed, SubStage::kStraggler,
                         SubStage::kHostToDevice, SubStage::kDeviceCopy}) {
    busy += share(stage);
  }
  if (busy <= 0 || !SawDeviceWork(input)) return std::nullopt;
  const Figure computing = figure::Share(share(SubStage::kCompute));
  const Figure idle = figure::Share(std::max(1 - busy, 0.0));
  const size_t devices = MostDevicesOfARank(*input.report.profile);
  const Sentence text =
      devices > 1 ? Phrase(
                        "at least one of a rank's {} devices computes in {} of the step, and all "
                        "are idle in {}: --section devices has each",
                        devices, computing, idle)
                  : Phrase("devices compute {} of the step, and are idle {}", computing, idle);
  return Evidence{text, "slices", "category = 'kernel'"};
}

}  // namespace steptrace::analyze
