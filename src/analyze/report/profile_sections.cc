// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/profile_sections.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyze/report/kernel_classes_json.h"

namespace steptrace::analyze {

void AddProfileJson(const Profile& profile, nlohmann::ordered_json& report) {
  if (profile.host_alone) {
    if (!profile.operators.rows.empty()) AddOperatorsJson(profile.operators, report);
    // What windows had no profile for stays as it is where there is none.
    if (!profile.memory.devices.empty()) report["memory"] = MemoryJson(profile.memory);
    const auto holds_rows = [](const RankModules& rank) { return !rank.rows.empty(); };
    if (std::ranges::any_of(profile.modules.ranks, holds_rows)) {
      report["modules"] = ModulesJson(profile.modules);
    }
    AddLiveDistributedJson(profile.distributed, report);
    return;
  }
  AddDevicesJson(profile.devices, report);
  if (profile.live) {
    AddLiveDistributedJson(profile.distributed, report);
  } else {
    AddDistributedJson(profile.distributed, report);
  }
  AddCriticalPathJson(profile.critical_path, report);
  AddOperatorsJson(profile.operators, report);
  report["kernels"] = KernelsJson(profile.kernels);
  report["kernel_classes"] = KernelClassesJson(profile.kernel_classes);
  report["memory"] = MemoryJson(profile.memory);
  report["modules"] = ModulesJson(profile.modules);
}

}  // namespace steptrace::analyze
